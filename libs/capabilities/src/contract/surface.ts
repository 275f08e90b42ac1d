/** The surfaces a capability may be exposed on. An id whose surface is not installed is inert. */
export const SURFACES = [
  'rest',
  'mcp',
  'assistant',
  'jobs',
  'cli',
  'code-mode',
  'agent-auth',
  'direct',
] as const;

export type SurfaceId = (typeof SURFACES)[number];

/** Surfaces whose input and output are JSON. */
export const WIRE_SURFACES: ReadonlySet<SurfaceId> = new Set<SurfaceId>([
  'rest',
  'mcp',
  'assistant',
  'jobs',
  'cli',
  'code-mode',
  'agent-auth',
]);

/** Surfaces driven by a model: what is not read-only needs a confirmation there by default. */
export const MODEL_SURFACES: ReadonlySet<SurfaceId> = new Set<SurfaceId>(['assistant', 'mcp', 'code-mode']);
