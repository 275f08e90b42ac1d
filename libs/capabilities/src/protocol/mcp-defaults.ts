/** Defaults of an MCP endpoint. */
export const MCP_DEFAULTS = Object.freeze({
  path: 'mcp',
  name: 'nest-capabilities',
  outputSchema: false,
  /** Every item on one page. */
  pageSize: Number.MAX_SAFE_INTEGER,
  ttlMs: 0,
  /** 10 minutes for a person to answer a question. */
  stateTtlMs: 600_000,
  answerTimeoutMs: 60_000,
  taskTtlMs: 3_600_000,
  maxStreams: 1024,
  approvalForms: false,
});
