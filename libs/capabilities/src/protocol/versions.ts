/** The stateless revision: every request carries its own envelope. */
export const MCP_PROTOCOL_VERSION = '2026-07-28';

/** Revisions served without `initialize`, newest first. */
export const SUPPORTED_MODERN: readonly string[] = Object.freeze([MCP_PROTOCOL_VERSION]);

/** What an `initialize` with an unknown version is answered with. */
export const LATEST_LEGACY = '2025-11-25';

/** Revisions that `initialize` agrees on. 2025-03-26 is not among them: it demands batches. */
export const NEGOTIABLE_LEGACY: ReadonlySet<string> = new Set([LATEST_LEGACY, '2025-06-18']);

/** Values of `MCP-Protocol-Version` that select the legacy leg. */
export const LEGACY_HEADERS: ReadonlySet<string> = new Set([...NEGOTIABLE_LEGACY, '2025-03-26']);

const PREFIX = 'io.modelcontextprotocol/';

/** Reserved `_meta` keys (MCP 2026-07-28, basic "`_meta`"). */
export const META = Object.freeze({
  protocolVersion: `${PREFIX}protocolVersion`,
  clientCapabilities: `${PREFIX}clientCapabilities`,
  logLevel: `${PREFIX}logLevel`,
  serverInfo: `${PREFIX}serverInfo`,
  subscriptionId: `${PREFIX}subscriptionId`,
});

/** The tasks extension (SEP-2663). */
export const TASKS_EXTENSION = `${PREFIX}tasks`;

/** The library's own `_meta` key: an idempotency key as on REST. */
export const IDEMPOTENCY_META = 'nest-capabilities/idempotency-key';
