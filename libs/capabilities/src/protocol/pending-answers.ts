import { executionId } from '../kernel/ids.js';
import { isRecord } from '../kernel/json.js';
import type { RpcAnswer } from './json-rpc.js';

/** Why a question to the client got no answer. */
export type Unanswered = 'timeout' | 'gone' | 'refused';

interface Waiting {
  readonly owner: string;
  settle(answer: Record<string, unknown> | Unanswered): void;
}

/**
 * Questions to clients of earlier revisions that are open right now. An entry lives as long as the call that
 * asked; its id cannot be guessed, and only its owner can answer it.
 */
export class PendingAnswers {
  private readonly waiting = new Map<string, Waiting>();

  /** Sends a question by `send(id)` and waits for its answer. */
  async ask(
    question: { readonly owner: string; readonly signal: AbortSignal; readonly timeoutMs: number },
    send: (id: string) => void,
  ): Promise<Record<string, unknown> | Unanswered> {
    const { owner, signal, timeoutMs } = question;
    if (signal.aborted) return 'gone';
    const id = executionId();
    return new Promise((resolve) => {
      const settle = (answer: Record<string, unknown> | Unanswered): void => {
        this.waiting.delete(id);
        clearTimeout(timer);
        signal.removeEventListener('abort', gone);
        resolve(answer);
      };
      const gone = (): void => settle('gone');
      const timer = setTimeout(() => settle('timeout'), timeoutMs);
      timer.unref();
      signal.addEventListener('abort', gone, { once: true });
      this.waiting.set(id, { owner, settle });
      send(id);
    });
  }

  /** Delivers a posted answer; false when nobody of that owner waits for it. */
  receive(owner: string, answer: RpcAnswer): boolean {
    const entry = typeof answer.id === 'string' ? this.waiting.get(answer.id) : undefined;
    if (entry === undefined || entry.owner !== owner) return false;
    entry.settle(isRecord(answer.result) ? answer.result : 'refused');
    return true;
  }
}
