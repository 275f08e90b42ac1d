import type { CapabilityError } from '../errors/capability-error.js';
import { errorEnvelope } from '../errors/error-envelope.js';
import { RPC_INTERNAL_ERROR } from '../errors/rpc-codes.js';
import type { CallSite } from './call-site.js';
import { asCapabilities, undeclared } from './client-features.js';
import { runCall } from './governed-call.js';
import type { McpServer } from './mcp-server.js';
import { MultiRound } from './multi-round.js';
import { invalidParams, missingClientCapability, RpcError } from './rpc-error.js';
import type { CapabilityDefinition } from '../registry/capability-definition.js';

/** A resource, prompt or completion to run, or the name of one that is not there. */
export interface PrimitiveCall {
  readonly definition: CapabilityDefinition | undefined;
  readonly asked: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The one answer for unknown, unexposed and hidden. */
  readonly notFound: RpcError;
}

export type PrimitiveEnd =
  { readonly kind: 'output'; readonly output: unknown } | { readonly kind: 'reply'; readonly result: string };

/** Runs a primitive through the pipeline. Its failures are protocol errors: {@link RpcError}. */
export async function runPrimitive(
  server: McpServer,
  site: CallSite,
  call: PrimitiveCall,
): Promise<PrimitiveEnd> {
  const rounds = new MultiRound(server, site);
  const { definition } = call;
  const outcome = await runCall(
    server.runner,
    {
      name: definition?.name ?? server.unknownName(call.asked),
      site,
      client: rounds.channel,
      reads: true,
      prepare: async () => {
        if (definition === undefined) return;
        checkRequired(definition, site);
        await rounds.redeem(definition);
      },
      input: () => call.input,
    },
    server.ports.challenge,
  );
  const end = rounds.end(outcome);
  if (end.kind === 'asked')
    return { kind: 'reply', result: server.results.inputRequired(end.requests, end.state) };
  if (definition === undefined) throw call.notFound;
  if (end.outcome.status === 'completed') return { kind: 'output', output: end.outcome.output };
  if (end.outcome.status === 'failed')
    throw primitiveError(end.outcome.error, end.outcome.executionId, call.notFound);
  throw new RpcError(RPC_INTERNAL_ERROR, 'Approval is required.', {
    approvalId: end.outcome.approval.approvalId,
  });
}

function checkRequired({ mcp }: CapabilityDefinition, site: CallSite): void {
  const missing = undeclared(site.meta.clientCapabilities, mcp.requires ?? []);
  if (site.era === 'modern' && missing.length > 0) throw missingClientCapability(asCapabilities(missing));
}

function primitiveError(error: CapabilityError, executionId: string, notFound: RpcError): RpcError {
  if (error.code === 'NOT_FOUND') return notFound;
  const { error: envelope } = errorEnvelope(error, { executionId });
  if (error.code === 'VALIDATION') return invalidParams(envelope.message, envelope);
  return new RpcError(RPC_INTERNAL_ERROR, envelope.message, envelope);
}
