import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../kernel/clock.js';
import { uuid } from '../kernel/ids.js';
import { type ApprovalNotification, ApprovalNotifier } from './approval-notifier.js';
import { signWebhook } from './webhook-signature.js';

export interface WebhookOptions {
  readonly url: string | URL;
  /** Shared with the receiver; at least 24 bytes. */
  readonly secret: string | Uint8Array;
  readonly clock: Clock;
  /** Attempts after the first. Default 4. */
  readonly retries?: number;
  /** Pause before the first retry in milliseconds, doubling each time. Default 500. */
  readonly backoffMs?: number;
  /** Limit of one attempt in milliseconds. Default 5 000. */
  readonly timeoutMs?: number;
}

/**
 * Posts notifications as signed JSON (see `verifyWebhook`). A network fault, a 429 and a 5xx are retried with
 * the same `webhook-id` and a fresh timestamp; anything else is final. Arguments are not sent, nor their hash, from
 * which short ones could be guessed: whoever decides reads them where they decide.
 */
export class WebhookNotifier extends ApprovalNotifier {
  private readonly url: URL;

  /** Throws `TypeError` for a bad URL and for a secret that is too short. */
  constructor(private readonly options: WebhookOptions) {
    super();
    this.url = new URL(options.url);
    if (Buffer.byteLength(options.secret) < 24)
      throw new TypeError('The webhook secret needs at least 24 bytes.');
  }

  async notify(notification: ApprovalNotification): Promise<void> {
    const { retries = 4, backoffMs = 500 } = this.options;
    const id = uuid();
    const body = JSON.stringify(withoutArguments(notification));
    for (let attempt = 0; ; attempt++) {
      const refusal = await this.deliver(id, body);
      if (refusal === undefined) return;
      if (!refusal.retryable || attempt >= retries) throw new Error(`Webhook not delivered: ${refusal.why}`);
      await pause(backoffMs * 2 ** attempt, undefined, { ref: false });
    }
  }

  /** Undefined when the receiver took it. */
  private async deliver(id: string, body: string): Promise<{ why: string; retryable: boolean } | undefined> {
    const { secret, clock, timeoutMs = 5_000 } = this.options;
    const signed = signWebhook(secret, id, Math.floor(clock.now() / 1000), body);
    try {
      const response = await fetch(this.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...signed },
        body,
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      });
      await response.body?.cancel();
      if (response.ok) return undefined;
      return {
        why: `status ${response.status}`,
        retryable: response.status === 429 || response.status >= 500,
      };
    } catch (error) {
      return { why: error instanceof Error ? error.name : 'network fault', retryable: true };
    }
  }
}

function withoutArguments({ type, approval }: ApprovalNotification): object {
  const { inputHash: _, action, ...view } = approval;
  const { verb, target, reversible } = action;
  return { type, approval: { ...view, action: { verb, target, reversible } } };
}
