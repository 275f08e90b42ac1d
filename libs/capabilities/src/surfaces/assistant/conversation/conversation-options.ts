import type { Json } from '../../../kernel/json.js';
import type { SuspendedApproval } from '../../../execution/outcome.js';
import type { ToolCallResult } from '../calls/tool-call-result.js';
import type { LanguageModelLike, ModelSettings } from './language-model.js';

/** One turn of a conversation. */
export interface ConverseOptions {
  readonly model: LanguageModelLike;
  /** Which conversation goes on; with a message, one that does not exist begins. Default: a new one. */
  readonly conversation?: string;
  /** What the user says. Without it, a suspended or stopped conversation goes on. */
  readonly message?: string;
  /** Instructions for the model; not kept. */
  readonly system?: string;
  /** Model calls in one turn. Default 8. */
  readonly maxSteps?: number;
  readonly settings?: ModelSettings;
  readonly signal?: AbortSignal;
}

/** A call that waits for a person. */
export interface WaitingCall {
  readonly toolCallId: string;
  readonly name: string;
  readonly approval: SuspendedApproval;
}

/** How a turn ended. */
export interface Turn {
  readonly conversation: string;
  /**
   * `suspended`: calls wait for a person; converse again without a message after the decision. `stopped`: the steps
   * are used up, or the model's answer was cut off.
   */
  readonly status: 'completed' | 'suspended' | 'stopped';
  /** What the model said last. */
  readonly text: string;
  readonly waiting: readonly WaitingCall[];
  /** Model calls of this turn. */
  readonly steps: number;
}

/** What happens during a turn, in order. */
export type TurnEvent =
  | { readonly type: 'start'; readonly conversation: string }
  | { readonly type: 'text' | 'reasoning'; readonly delta: string }
  | { readonly type: 'tool-call'; readonly toolCallId: string; readonly name: string; readonly input: Json }
  | { readonly type: 'tool-result'; readonly result: ToolCallResult }
  | { readonly type: 'finish'; readonly turn: Turn };
