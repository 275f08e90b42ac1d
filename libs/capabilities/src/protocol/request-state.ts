import type { SingleUseStore } from '../execution/single-use-store.js';
import { canonicalJson } from '../kernel/canonical-json.js';
import type { Clock } from '../kernel/clock.js';
import { sha256 } from '../kernel/hash.js';
import { executionId } from '../kernel/ids.js';
import { isRecord } from '../kernel/json.js';
import type { Answers } from './replay-channel.js';
import { invalidParams, type RpcError } from './rpc-error.js';
import type { Signer } from './signer.js';

/** The request that a state belongs to. */
export interface StateBinding {
  readonly endpoint: string;
  readonly owner: string;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

interface StatePayload {
  /** Hash over the binding. */
  readonly b: string;
  /** Nonce: the state works once. */
  readonly n: string;
  /** Expiry, milliseconds since the epoch. */
  readonly x: number;
  /** Keys that were asked for. */
  readonly k: readonly string[];
  /** Answers of earlier rounds. */
  readonly a: Answers;
}

const PURPOSE = 'request-state';

/**
 * The `requestState` of multi-round requests (MCP 2026-07-28, "Multi Round-Trip Requests"): signed, bound to
 * endpoint, principal, method and parameters, short-lived, and good for one retry.
 */
export class RequestStates {
  constructor(
    private readonly signer: Signer,
    private readonly used: SingleUseStore,
    private readonly clock: Clock,
    private readonly ttlMs: number,
  ) {}

  /** A state that waits for `keys` and remembers the answers of earlier rounds. */
  mint(binding: StateBinding, keys: readonly string[], answers: Answers): string {
    const payload: StatePayload = {
      b: bindingHash(binding),
      n: executionId(),
      x: this.clock.now() + this.ttlMs,
      k: keys,
      a: answers,
    };
    return this.signer.sign(PURPOSE, payload);
  }

  /**
   * Every answer so far: earlier rounds from the state, this round from `inputResponses`, as far as it was asked
   * for. Answers without a state count only where they confirm nothing (`unbound`). Throws {@link RpcError} −32602
   * for a state that is not this caller's for this request, or was used before.
   */
  async redeem(binding: StateBinding, unbound: boolean): Promise<Answers> {
    const responses = readResponses(binding.params['inputResponses']);
    const state = binding.params['requestState'];
    if (state === undefined) return unbound ? responses : {};
    const payload =
      typeof state === 'string' ? (this.signer.open(PURPOSE, state) as StatePayload | undefined) : undefined;
    if (payload === undefined || payload.x <= this.clock.now() || payload.b !== bindingHash(binding))
      throw badState();
    // Twice its life: an instance whose clock is behind takes a state for longer.
    if (!(await this.used.consume(payload.n, 2 * this.ttlMs))) throw badState();
    const answers: Record<string, unknown> = { ...payload.a };
    for (const key of payload.k) if (Object.hasOwn(responses, key)) answers[key] = responses[key];
    return answers;
  }
}

function badState(): RpcError {
  return invalidParams('The request state is not valid for this request');
}

/** Throws {@link RpcError} −32602 for responses that are no object of objects. */
export function readResponses(value: unknown): Readonly<Record<string, Record<string, unknown>>> {
  if (value === undefined) return {};
  if (!isRecord(value)) throw invalidParams('inputResponses must be an object');
  for (const [key, response] of Object.entries(value)) {
    if (!isRecord(response)) throw invalidParams(`inputResponses[${JSON.stringify(key)}] must be an object`);
  }
  return value as Record<string, Record<string, unknown>>;
}

function bindingHash({ endpoint, owner, method, params }: StateBinding): string {
  const { _meta, inputResponses, requestState, ...original } = params;
  void [_meta, inputResponses, requestState];
  return sha256('nest-capabilities/mcp/request-state', canonicalJson([endpoint, owner, method, original]));
}
