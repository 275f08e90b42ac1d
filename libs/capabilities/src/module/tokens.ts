/** Injection tokens of the library's composed values; `Symbol.for` so that two copies agree. */
export const PIPELINE_PORTS = Symbol.for('nest-capabilities.PipelinePorts');
export const CAPABILITIES_OPTIONS = Symbol.for('nest-capabilities.Options');
