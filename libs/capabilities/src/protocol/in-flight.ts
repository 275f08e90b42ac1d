import type { RequestId } from './json-rpc.js';

/** Requests that `notifications/cancelled` can reach, by session and request id. */
export class InFlight {
  private readonly controllers = new Map<string, AbortController>();

  /** Starts a request; without a session nothing can reach it. */
  start(session: string | undefined, id: RequestId): AbortController {
    const controller = new AbortController();
    if (session !== undefined) this.controllers.set(keyOf(session, id), controller);
    return controller;
  }

  cancel(session: string | undefined, id: RequestId): void {
    if (session !== undefined) this.controllers.get(keyOf(session, id))?.abort();
  }

  end(session: string | undefined, id: RequestId, controller: AbortController): void {
    if (session === undefined) return;
    const key = keyOf(session, id);
    if (this.controllers.get(key) === controller) this.controllers.delete(key);
  }
}

function keyOf(session: string, id: RequestId): string {
  return JSON.stringify([session, id]);
}
