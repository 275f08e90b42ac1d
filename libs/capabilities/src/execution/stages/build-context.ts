import { isPromiseLike } from '../../kernel/promise-like.js';
import type { CallRecord } from '../call-record.js';
import type { PipelinePorts } from '../pipeline-ports.js';

/** Stage 9: the application builds `ctx.context` from principal and parsed input; its refusals pass. */
export async function buildContext(record: CallRecord, ports: PipelinePorts): Promise<void> {
  if (ports.context === undefined) return;
  record.stage = 'context';
  record.call.check();
  const { principal, definition, surface, signal, observedInput } = record;
  const resolving = ports.context.resolve({
    principal,
    input: observedInput,
    capability: definition,
    surface,
    signal,
  });
  record.context = isPromiseLike(resolving) ? await record.call.race(resolving) : resolving;
}
