import type { DemoTokens } from './identity/demo-tokens.js';
import type { UserDirectory } from './identity/user-directory.js';

/** What the terminal shows once the demo listens: addresses, one token per identity, one command to copy. */
export async function startMessage(
  url: string,
  directory: UserDirectory,
  tokens: DemoTokens,
): Promise<string> {
  const identities = await Promise.all(
    directory.all().map(async (user) => ({ user, token: await tokens.tokenFor(user) })),
  );
  const lines = identities.map(
    ({ user, token }) => `  ${user.id}  ${user.name} (tenant ${user.tenant})\n    ${token}`,
  );
  const manager = identities.find(({ user }) => user.role === 'manager');
  return [
    'The support desk is listening.',
    '',
    `  Swagger UI     ${url}/docs`,
    `  Document       ${url}/docs-json`,
    `  Capabilities   ${url}/capabilities/{name}`,
    `  MCP            ${url}/mcp`,
    `  Assistant      ${url}/assistant/messages`,
    '',
    'Demo identities, valid until this process ends. Paste a token into "Authorize":',
    '',
    ...lines,
    '',
    'Try it:',
    '',
    `  curl -s ${url}/capabilities/orders.find -H 'content-type: application/json' \\`,
    `    -H 'authorization: Bearer ${manager?.token}' -d '{"orderId":"ord_1001"}'`,
    '',
  ].join('\n');
}
