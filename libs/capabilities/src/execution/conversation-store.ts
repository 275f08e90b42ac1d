import type { Json } from '../kernel/json.js';
import type { Principal } from '../kernel/principal.js';

/** A call of the last model answer, with what is known about it. */
export interface OpenCall {
  readonly toolCallId: string;
  readonly name: string;
  readonly input: Json;
  /** Waits for this approval. */
  readonly approvalId?: string;
  /** The tool result, as it goes to the model, once there is one. */
  readonly result?: Json;
}

/** A conversation as it is stored: plain JSON, so that any process can go on with it. */
export interface ConversationRecord {
  readonly id: string;
  /** Whose conversation it is; nobody else finds it. */
  readonly owner: string;
  /** Grows with every change. */
  readonly version: number;
  readonly state: 'idle' | 'running';
  /** Milliseconds since the epoch: when a running holder is given up. */
  readonly until: number;
  /** Messages in the form of the AI SDK's language models. */
  readonly messages: readonly Json[];
  /** Calls without a tool result in `messages`; empty between turns unless one waits. */
  readonly open: readonly OpenCall[];
}

/**
 * Keeps an assistant's conversations and suspended calls (port). Shared between processes that serve the same users.
 * Every method throws `CapabilityError` UNAVAILABLE when the store does not answer.
 */
export abstract class ConversationStore {
  /** Prepares the store at boot; rejects to stop the boot. */
  abstract open(): void | Promise<void>;
  /** The conversation of that owner; undefined when there is none. */
  abstract find(owner: string, id: string): Promise<ConversationRecord | undefined>;
  /** Writes `record` if the stored version is `expected`, 0 for none; false when another change came first. */
  abstract save(record: ConversationRecord, expected: number): Promise<boolean>;
  /** Removes a conversation and what was remembered for it. */
  abstract remove(owner: string, id: string): Promise<void>;
  /** Notes which approval a call waits for. */
  abstract remember(
    owner: string,
    conversation: string,
    toolCallId: string,
    approvalId: string,
  ): Promise<void>;
  /** The approval that was noted for a call. */
  abstract recall(owner: string, conversation: string, toolCallId: string): Promise<string | undefined>;
}

/** Whose conversations they are: one owner per tenant and principal, whatever the credential. */
export function ownerOf({ tenant, kind, id }: Pick<Principal, 'tenant' | 'kind' | 'id'>): string {
  return JSON.stringify([tenant, kind, id]);
}
