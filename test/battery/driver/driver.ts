import type { AuditEvent, SurfaceId } from 'nest-capabilities';
import type { AdapterName, CrashPoint, Settings, StoreName } from '../fixture/config.js';
import { answerOf, type Answer, type PlainReply } from './answer.js';
import { filterEvents, type AuditFilter, type StoredEvent } from './audit-filter.js';
import { send } from './http.js';
import { laterVerbs, notBuilt } from './later-verbs.js';
import { mcpVerbs } from './mcp-verbs.js';
import type { BatterySession } from './session.js';

const REFUND = { orderId: 'o1', amount: 500, currency: 'USD' };
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const JSON_TYPE = { 'content-type': 'application/json' };

export interface InvokeOptions {
  /** Default `'direct'`. */
  readonly surface?: SurfaceId;
  /** Idempotency key. */
  readonly key?: string;
  readonly credentialId?: string;
}

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent instead of the arguments, byte for byte. */
  readonly raw?: string | Buffer;
}

export interface HttpOptions {
  readonly who?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Buffer | undefined;
}

export interface AskOptions extends Record<string, unknown> {
  /** Votes that the request needs; a setting of the fixture from then on. */
  readonly quorum?: number;
  /** Who may decide; a setting of the fixture from then on. */
  readonly group?: readonly string[];
}

/** The driver of the battery: every verb returns the raw outcome. See the README beside it. */
export class BatteryDriver {
  /** What every call was answered, ids left out: the same on every store and adapter, races aside. */
  readonly answers: string[] = [];

  constructor(readonly session: BatterySession) {
    Object.assign(this, laterVerbs);
    Object.assign(
      this,
      mcpVerbs(session, (call, answer) => this.noted(call, answer)),
    );
  }

  get storeName(): StoreName {
    return this.session.config.store;
  }

  get adapter(): AdapterName {
    return this.session.config.adapter;
  }

  // Calls

  /** Invokes a capability in process as `who`. */
  async inv(
    who: string,
    capability: string,
    args: unknown = {},
    options: InvokeOptions = {},
  ): Promise<Answer> {
    const request = { who, capability, args, ...options };
    const reply = (await this.session.next().ask('invoke', request)) as PlainReply;
    return this.noted(`inv ${capability} as ${who}`, answerOf(reply));
  }

  /** `POST /capabilities/{capability}` as `who`. */
  call(
    who: string,
    capability: string,
    args: unknown = {},
    { headers, raw }: CallOptions = {},
  ): Promise<Answer> {
    return this.http('POST', `/capabilities/${capability}`, {
      who,
      headers,
      body: raw ?? JSON.stringify(args),
    });
  }

  /** Any request; `who` adds the bearer token. */
  async http(method: string, path: string, { who, headers, body }: HttpOptions = {}): Promise<Answer> {
    const bearer: Record<string, string> =
      who === undefined ? {} : { authorization: `Bearer ${this.token(who)}` };
    const sent = { ...(body === undefined ? {} : JSON_TYPE), ...bearer, ...headers };
    const content = body === undefined ? {} : { body };
    const reply = await send(this.session.next().url + path, { method, headers: sent, ...content });
    return this.noted(`${method} ${path.replaceAll(UUID, '{id}')} as ${who}`, answerOf(reply));
  }

  private noted<A extends Answer>(call: string, answer: A): A {
    this.answers.push(`${call}: ${answer.status} ${answer.code ?? ''}`);
    return answer;
  }

  /** HTTP GET; the status. */
  async get(path: string, who?: string): Promise<number> {
    return (await this.http('GET', path, who === undefined ? {} : { who })).status;
  }

  token(who: string): string {
    const token = this.session.tokens[who];
    if (token === undefined) throw new TypeError(`There is no token for ${who}.`);
    return token;
  }

  /** `n` calls of `f(i)` at once; how many succeeded, and the codes of the others. */
  async par(n: number, f: (index: number) => Promise<unknown>): Promise<{ ok: number; codes: string[] }> {
    const outcomes = await Promise.all(Array.from({ length: n }, (_, index) => codeOf(f(index))));
    const codes = outcomes.filter((code) => code !== undefined);
    return { ok: n - codes.length, codes };
  }

  // Approvals

  /** Requests an approval of `refund.issue` as alice; `options` beside quorum and group are arguments. */
  ask(options: AskOptions = {}): Promise<string> {
    return this.askAs('alice', options);
  }

  async askAs(who: string, { quorum, group, ...args }: AskOptions = {}): Promise<string> {
    const settings = {
      ...(quorum === undefined ? {} : { quorum }),
      ...(group === undefined ? {} : { group }),
    };
    if (Object.keys(settings).length > 0) await this.everywhere('settings', { settings });
    const answer = await this.call(who, 'refund.issue', { ...REFUND, ...args });
    if (answer.status !== 202 || answer.approvalId === undefined)
      throw new Error(`The request was not suspended: ${answer.status} ${answer.text}`);
    return answer.approvalId;
  }

  /** `n` requests at once, each for an order of its own. */
  askBatch(n: number): Promise<string[]> {
    return Promise.all(Array.from({ length: n }, (_, index) => this.ask({ orderId: `batch-${index}` })));
  }

  dec(who: string, id: string, decision: 'approve' | 'reject', reason?: string): Promise<Answer> {
    const body = JSON.stringify({ decision, ...(reason === undefined ? {} : { reason }) });
    return this.http('POST', `/approvals/${id}/decision`, { who, body });
  }

  /** Decides in process, with a credential that no token has. */
  async decideWith(
    credentialId: string,
    who: string,
    id: string,
    decision: 'approve' | 'reject',
  ): Promise<Answer> {
    const request = { who, id, decision, credentialId };
    return answerOf((await this.session.next().ask('decide', request)) as PlainReply);
  }

  res(who: string, id: string, args: unknown = {}): Promise<Answer> {
    return this.http('POST', `/approvals/${id}/execute`, { who, body: JSON.stringify(args) });
  }

  /** The approval as `who` sees it. */
  approval(who: string, id: string): Promise<Answer> {
    return this.http('GET', `/approvals/${id}`, { who });
  }

  /** The approval's state as its own store has it, whoever may see it. */
  async state(id: string, tenant = 't1'): Promise<string | undefined> {
    const record = (await this.session.next().ask('record', { tenant, id })) as { state: string } | null;
    return record?.state;
  }

  /** The hash that an approval of this call would bind: the same for equal parsed input, whatever its key order. */
  async hash(who: string, capability: string, args: unknown): Promise<string> {
    await this.everywhere('askAlways', { on: true });
    try {
      const { approvalId, status, text } = await this.inv(who, capability, args);
      if (approvalId === undefined || status !== 202) throw new Error(`Not suspended: ${status} ${text}`);
      for (const tenant of ['t1', 't2']) {
        const record = await this.session.next().ask('record', { tenant, id: approvalId });
        if (record !== null) return (record as { inputHash: string }).inputHash;
      }
      throw new Error('The request is not stored.');
    } finally {
      await this.everywhere('askAlways', { on: false });
    }
  }

  // What happened

  async eff(capability: string): Promise<number> {
    return (await this.session.next().ask('ledger', { kind: 'effect', capability })) as number;
  }

  /** Entries into the handler. */
  async attempts(capability: string): Promise<number> {
    return (await this.session.next().ask('ledger', { kind: 'attempt', capability })) as number;
  }

  /** Arguments of the last attempt; null before the first. */
  last(capability: string): Promise<unknown> {
    return this.session.next().ask('last', { capability });
  }

  /** Stored audit events that match, oldest first; `seq` is the place in the tenant's chain. */
  async aud(filter: AuditFilter = {}): Promise<StoredEvent[]> {
    // Each process answers once its own events are stored, so the last answer has them all.
    let events: (AuditEvent & { seq: number })[] = [];
    for (const instance of this.session.instances) events = (await instance.ask('audit')) as typeof events;
    if (this.session.instances.length > 1) events = (await this.session.first.ask('audit')) as typeof events;
    return filterEvents(events, filter);
  }

  async verify(): Promise<{ ok: boolean; rows: number; seq?: number; problem?: string }> {
    await this.everywhere('audit');
    return (await this.session.first.ask('verify')) as { ok: boolean; rows: number };
  }

  async forks(): Promise<number> {
    await this.everywhere('audit');
    return (await this.session.first.ask('forks')) as number;
  }

  /** Writes a signed checkpoint of a tenant's chain. */
  checkpoint(tenant = 't1'): Promise<unknown> {
    return this.session.first.ask('checkpoint', { tenant });
  }

  readonly store = {
    /** Runs SQL as the owner of the tables; `audit`, `approvals` and `idempotency_keys` name them. */
    sql: (text: string, role: 'owner' | 'app' = 'owner'): Promise<unknown[]> =>
      this.session.first.ask('sql', { text, role }) as Promise<unknown[]>,
    /** Another connection locks the approval's row; resolves when it holds the lock. */
    holdRowLock: (id: string, milliseconds: number): Promise<unknown> =>
      this.session.first.ask('holdRowLock', { id, milliseconds }),
    /** Marks abandoned claims unknown and expires what is overdue. */
    sweep: (): Promise<unknown> => this.session.first.ask('sweep'),
  };

  // What can be changed

  readonly clock = {
    advance: async (milliseconds: number): Promise<void> => {
      this.session.clockOffset += milliseconds;
      await this.everywhere('advance', { milliseconds });
    },
  };

  async fail(dependency: string): Promise<void> {
    if (dependency === 'pg') return this.everywhere('gate', { state: 'down' });
    if (dependency === 'pool') return this.everywhere('gate', { state: 'exhausted' });
    if (dependency === 'audit') return this.everywhere('auditSink', { down: true });
    throw dependency === 'redis' ? notBuilt(5) : new TypeError(`There is no dependency ${dependency}.`);
  }

  async heal(dependency: string): Promise<void> {
    if (dependency === 'pg' || dependency === 'pool') return this.everywhere('gate', { state: 'up' });
    if (dependency === 'audit') return this.everywhere('auditSink', { down: false });
    throw dependency === 'redis' ? notBuilt(5) : new TypeError(`There is no dependency ${dependency}.`);
  }

  /** Ends every process and starts one with these settings; the store stays. */
  restart(settings: Settings = {}): Promise<void> {
    return this.session.restart(settings);
  }

  /** Tries to boot an application with these settings; what its author is told, undefined when it boots. */
  async boot(settings: Settings): Promise<string | undefined> {
    return ((await this.session.first.ask('tryBoot', { settings })) as string | null) ?? undefined;
  }

  /** Starts a second process on the same store; from then on calls go to both in turn. */
  async twoInstances(): Promise<void> {
    if (this.storeName !== 'postgres') throw new Error('Two processes share a store on PostgreSQL only.');
    while (this.session.instances.length < 2) await this.session.start(false);
  }

  revoke(who: string, scope: string): Promise<void> {
    return this.everywhere('revoke', { who, scope });
  }

  restore(who: string, scope: string): Promise<void> {
    return this.everywhere('restore', { who, scope });
  }

  /** From now on, this human stands behind the principal. */
  belongsTo(who: string, human: string): Promise<void> {
    return this.everywhere('belongsTo', { who, human });
  }

  disable(who: string): Promise<void> {
    return this.everywhere('disable', { who });
  }

  enable(who: string): Promise<void> {
    return this.everywhere('enable', { who });
  }

  /** For so long, calls that execute an approval wait where their principals are re-read: they pile up. */
  holdUp(milliseconds: number): Promise<void> {
    return this.everywhere('holdUp', { milliseconds });
  }

  /** The next call of this capability's handler throws. */
  failOnce(capability: string): Promise<void> {
    return this.everywhere('failOnce', { capability });
  }

  /** Makes the first process die by SIGKILL when it gets there. */
  async crashAt(point: CrashPoint, capability: string): Promise<void> {
    await this.session.first.ask('crashAt', { point, capability });
  }

  /** Calls a capability, kills the process right after its effect, and starts it again on the same store. */
  async crashAfterEffect(capability: string, args: unknown, options: InvokeOptions & { who?: string } = {}) {
    const { who = 'alice', ...rest } = options;
    if (this.storeName === 'memory') throw new Error('The memory store does not outlive its process.');
    const victim = this.session.first;
    await this.crashAt('after-effect', capability);
    const call = victim.ask('invoke', { who, capability, args, ...rest });
    await call.then(
      () => {
        throw new Error('The process did not die.');
      },
      (error: unknown) => victim.died(error),
    );
    await this.session.replaceDead();
  }

  private async everywhere(verb: string, args: object = {}): Promise<void> {
    await Promise.all(this.session.instances.map((instance) => instance.ask(verb, args)));
  }
}

/** The code of an outcome that did not succeed. */
async function codeOf(outcome: Promise<unknown>): Promise<string | undefined> {
  try {
    const value = await outcome;
    if (typeof value !== 'object' || value === null || !('ok' in value)) return undefined;
    const { ok, code, status } = value as Answer;
    return ok ? undefined : (code ?? `HTTP_${status}`);
  } catch (error) {
    return error instanceof Error ? `THROWN: ${error.message}` : 'THROWN';
  }
}
