import type { Clock } from '../kernel/clock.js';
import { executionId } from '../kernel/ids.js';
import { isRecord } from '../kernel/json.js';
import type { Principal } from '../kernel/principal.js';
import { knownCapabilities } from './client-features.js';
import type { HeaderMap } from './exchange.js';
import type { LegacyPeer } from './legacy-peer.js';
import { ownerKey } from './owner-key.js';
import { RPC_INVALID_REQUEST } from '../errors/rpc-codes.js';
import { RpcError } from './rpc-error.js';
import type { Signer } from './signer.js';

interface SessionPayload {
  readonly s: string;
  /** Client capabilities. */
  readonly c: Readonly<Record<string, unknown>>;
  readonly o: string;
  readonly e: string;
  /** Expiry, milliseconds since the epoch. */
  readonly x: number;
}

const PURPOSE = 'session';
const SESSION_TTL_MS = 24 * 3_600_000;
/** Header field of the session token (2025-11-25, "Session Management"). */
export const SESSION_HEADER = 'mcp-session-id';

/**
 * Sessions of earlier revisions without a session store: the id is a signed token that carries what `initialize`
 * said, bound to principal and endpoint. It authenticates nobody.
 */
export class LegacySessions {
  constructor(
    private readonly signer: Signer,
    private readonly clock: Clock,
    private readonly endpoint: string,
  ) {}

  issue(principal: Principal, clientCapabilities: unknown): string {
    const payload: SessionPayload = {
      s: executionId(),
      c: isRecord(clientCapabilities) ? knownCapabilities(clientCapabilities) : {},
      o: ownerKey(principal),
      e: this.endpoint,
      x: this.clock.now() + SESSION_TTL_MS,
    };
    return this.signer.sign(PURPOSE, payload);
  }

  /** The peer behind a request; undefined without a session. Throws {@link RpcError} 404 for a foreign or ended one. */
  open(principal: Principal, headers: HeaderMap | undefined): LegacyPeer | undefined {
    const token = headers?.[SESSION_HEADER];
    if (token === undefined) return undefined;
    const payload = this.signer.open(PURPOSE, token) as SessionPayload | undefined;
    const fits = payload !== undefined && payload.o === ownerKey(principal) && payload.e === this.endpoint;
    if (!fits || payload.x <= this.clock.now()) {
      throw new RpcError(RPC_INVALID_REQUEST, 'Session not found', undefined, 404);
    }
    return { sessionId: payload.s, clientCapabilities: payload.c };
  }
}
