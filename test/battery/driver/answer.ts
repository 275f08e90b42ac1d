/** The raw outcome of any call that a driver makes, over HTTP or in process. */
export interface Answer {
  /** HTTP status, or the one that the error table gives to an in-process call. */
  readonly status: number;
  /** 200–299, except 202: the call is waiting. */
  readonly ok: boolean;
  /** The error's `reason`, such as `CONSUMED`; `APPROVAL_REQUIRED` on 202; undefined on success. */
  readonly code: string | undefined;
  /** The parsed body; undefined when there is none. */
  readonly body: unknown;
  /** The body's exact bytes as text. */
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Of a suspended or refused call. */
  readonly approvalId: string | undefined;
  /** Seconds of `Retry-After`. */
  readonly retryAfter: number | undefined;
  /** True when the answer was replayed for an idempotency key. */
  readonly replayed: boolean;
}

export interface PlainReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

interface Body {
  readonly approvalId?: string;
  readonly error?: { readonly reason?: string; readonly approvalId?: string };
}

export function answerOf({ status, headers, text }: PlainReply): Answer {
  const body = parse(text);
  const { approvalId, error } = (typeof body === 'object' && body !== null ? body : {}) as Body;
  const retryAfter = headers['retry-after'];
  return {
    status,
    ok: status >= 200 && status < 300 && status !== 202,
    code: status === 202 ? 'APPROVAL_REQUIRED' : error?.reason,
    body,
    text,
    headers,
    approvalId: approvalId ?? error?.approvalId,
    retryAfter: retryAfter === undefined ? undefined : Number(retryAfter),
    replayed: headers['idempotent-replayed'] === 'true',
  };
}

function parse(text: string): unknown {
  try {
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return text;
  }
}
