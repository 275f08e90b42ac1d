/** The port the desk listens on: `PORT`, default 3000. */
export const deskPort = (): number => Number(process.env['PORT'] ?? 3000);

/** Where clients reach the desk: `PUBLIC_URL`, default this computer. */
const deskUrl = (): string => process.env['PUBLIC_URL'] ?? `http://127.0.0.1:${deskPort()}`;

/** The MCP endpoint, which is also the audience that tokens are issued for. */
export const mcpUrl = (): string => `${deskUrl()}/mcp`;
