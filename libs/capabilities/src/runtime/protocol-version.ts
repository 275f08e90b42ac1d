/** The latest MCP revision that opens with `initialize`. */
export const MCP_PROTOCOL_VERSION = '2025-11-25';
