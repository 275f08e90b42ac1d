import type { Principal } from '../kernel/principal.js';
import type { LegacyPeer } from './legacy-peer.js';

/** Header fields by lower-case name. */
export type HeaderMap = Readonly<Record<string, string | undefined>>;

/** Carries messages of one reply after another: Server-Sent Events, or the lines of a pipe. */
export interface MessageStream {
  /** Sends one JSON-RPC message; does nothing once the reader is gone. */
  send(message: string): void;
  end(): void;
}

/** One request as the transport sees it. */
export interface McpExchange {
  /** Undefined where the transport has no header fields: then no header rule applies. */
  readonly headers: HeaderMap | undefined;
  /** The verified caller. */
  readonly principal: Principal;
  /** Aborts when the reader is gone. */
  readonly signal: AbortSignal;
  /** The framework's request, for the application's guards. */
  readonly request?: unknown;
  /** The peer of a connection that keeps one (stdio); over HTTP it comes from the session token. */
  readonly peer?: LegacyPeer;
  /** Starts the event stream of this reply. Called once at most, and never before access was decided. */
  openStream(): MessageStream;
}

/** What the transport still has to send. */
export type McpReply =
  | {
      readonly kind: 'message';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    }
  /** HTTP 202 without a body. */
  | { readonly kind: 'accepted' }
  /** Everything went out on the stream. */
  | { readonly kind: 'streamed' };

const NO_HEADERS: Readonly<Record<string, string>> = Object.freeze({});

/** A reply of one message. */
export function messageReply(
  body: string,
  status = 200,
  headers: Readonly<Record<string, string>> = NO_HEADERS,
): McpReply {
  return { kind: 'message', status, headers, body };
}
