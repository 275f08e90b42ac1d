import { Injectable } from '@nestjs/common';
import {
  Capability,
  CapabilityHost,
  CapabilityPolicy,
  type CapabilityPolicyRule,
  allow,
  AuditSink,
  type AuditEvent,
  Clock,
  type PrincipalInput,
  type PrincipalRef,
  PrincipalResolver,
  type PrincipalSource,
  requireApproval,
} from 'nest-capabilities';
import { z } from 'zod';
import {
  type AdapterName,
  type Reply,
  type RestApp,
  type RestAppOptions,
  startRestApp,
} from '../rest/rest-app.js';

/** Everyone of the fixture; the bearer token and the session cookie are the name. */
const PEOPLE: Readonly<Record<string, Omit<PrincipalInput, 'user'> & { readonly may: readonly string[] }>> = {
  alice: { id: 'alice', kind: 'user', tenant: 't1', credentialId: 'alice-web', may: ['refunds:write'] },
  'alice-key': {
    id: 'key-1',
    kind: 'agent',
    human: 'alice',
    tenant: 't1',
    credentialId: 'k1',
    may: ['refunds:write', 'approvals:decide'],
  },
  bob: { id: 'bob', kind: 'user', tenant: 't1', credentialId: 'bob-web', may: ['approvals:decide'] },
  dave: { id: 'dave', kind: 'user', tenant: 't1', credentialId: 'dave-web', may: ['approvals:decide'] },
  carol: { id: 'carol', kind: 'user', tenant: 't2', credentialId: 'carol-web', may: ['approvals:decide'] },
  svc: { id: 'svc', kind: 'unattended', human: 'alice', tenant: 't1', may: ['approvals:decide'] },
  auditor: { id: 'auditor', kind: 'user', tenant: 't1', may: ['approvals:audit'] },
  operator: { id: 'operator', kind: 'user', tenant: 't1', may: ['approvals:audit', 'approvals:operate'] },
  guest: { id: 'guest', kind: 'anonymous', may: [] },
};

export class People extends PrincipalResolver {
  readonly disabled = new Set<string>();
  readonly revoked = new Set<string>();

  resolve({ token, request }: PrincipalSource): PrincipalInput | null {
    const { headers } =
      (request as { raw?: { headers: { cookie?: string } }; headers: { cookie?: string } }) ?? {};
    return this.known(token ?? /(?:^|; )session=([a-z-]+)/.exec(headers?.cookie ?? '')?.[1]);
  }

  override reload({ id }: PrincipalRef): PrincipalInput | null {
    const name = Object.keys(PEOPLE).find((each) => PEOPLE[each]!.id === id);
    return this.known(name);
  }

  private known(name: string | undefined): PrincipalInput | null {
    const person = name === undefined ? undefined : PEOPLE[name];
    if (person === undefined || this.disabled.has(name!)) return null;
    const { may, ...principal } = person;
    const permissions = may.filter((permission) => !this.revoked.has(permission));
    return { ...principal, user: person.kind === 'anonymous' ? null : { permissions } };
  }
}

class Rules extends CapabilityPolicy {
  userHasPermission(user: unknown, permission: string): boolean {
    return (user as { permissions: readonly string[] }).permissions.includes(permission);
  }
}

export class TestClock extends Clock {
  private skew = 0;
  now(): number {
    return Date.now() + this.skew;
  }
  offset(): number {
    return this.skew;
  }
  advance(ms: number): void {
    this.skew += ms;
  }
}

class Kept extends AuditSink {
  readonly events: AuditEvent[] = [];
  write(event: AuditEvent): void {
    this.events.push(event);
  }
}

const Refund = z.object({
  orderId: z.string(),
  amount: z.number().int().min(1),
  currency: z.enum(['USD', 'EUR']),
  memo: z.string().optional(),
});

@Injectable()
@CapabilityHost({ namespace: 'refund', expose: ['rest'], risk: 'high', permission: 'refunds:write' })
export class Refunds {
  readonly done: z.infer<typeof Refund>[] = [];

  @Capability.write({
    title: 'Issue a refund',
    description: 'Pays money back.',
    inputSchema: Refund,
    approval: { required: false },
  })
  issue(input: z.infer<typeof Refund>): { refunded: number } {
    this.done.push(input);
    if (input.orderId === 'broken') throw new Error('connect ECONNREFUSED postgres://u:pw@db');
    return { refunded: input.amount };
  }
}

/** What the tests hold in their hands. */
export interface ApprovalsApp extends RestApp {
  readonly people: People;
  readonly clock: TestClock;
  readonly refunds: Refunds;
  readonly audit: readonly AuditEvent[];
  /** Asks for a refund of 500 as alice; the approval's id. */
  ask(change?: Readonly<Record<string, unknown>>): Promise<string>;
  decide(as: string, id: string, decision?: string, more?: Readonly<Record<string, unknown>>): Promise<Reply>;
  execute(as: string, id: string, body?: unknown): Promise<Reply>;
  get(as: string | null, path: string): Promise<Reply>;
  post(as: string | null, path: string, body?: unknown): Promise<Reply>;
}

export interface ApprovalsOptions extends RestAppOptions {
  readonly quorum?: number;
  readonly strength?: 'session' | 'webauthn';
}

export const REFUND = { orderId: 'o1', amount: 500, currency: 'USD' };

export async function startApprovalsApp(
  adapter: AdapterName,
  options: ApprovalsOptions = {},
): Promise<ApprovalsApp> {
  const people = new People();
  const clock = new TestClock();
  const kept = new Kept();
  const gate: CapabilityPolicyRule = {
    name: 'refund-gate',
    phase: 'invocation',
    evaluate: ({ input }) =>
      (input as { amount: number }).amount > 100
        ? requireApproval({
            reason: 'Refunds over 100 need a second person.',
            quorum: options.quorum ?? 1,
            ...(options.strength === undefined ? {} : { strength: options.strength }),
          })
        : allow(),
  };
  const rest = await startRestApp(adapter, {
    ...options,
    providers: [Refunds, ...(options.providers ?? [])],
    capabilities: {
      policy: Rules,
      principals: { useValue: people },
      clock: { useValue: clock },
      sinks: [{ useValue: kept }],
      policies: [gate],
      ...options.capabilities,
    },
  });
  const post = (as: string | null, path: string, body?: unknown): Promise<Reply> =>
    rest.send('POST', path, {
      as,
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
  return {
    ...rest,
    people,
    clock,
    refunds: rest.app.get(Refunds),
    audit: kept.events,
    ask: async (change = {}) => {
      const reply = await rest.call('refund.issue', { ...REFUND, ...change }, { as: 'alice' });
      return (reply.json as { approvalId: string }).approvalId;
    },
    decide: (as, id, decision = 'approve', more = {}) =>
      post(as, `/approvals/${id}/decision`, { decision, ...more }),
    execute: (as, id, body) => post(as, `/approvals/${id}/execute`, body),
    get: (as, path) => rest.send('GET', path, { as }),
    post,
  };
}

/** Reason of a refusal. */
export const reasonOf = (reply: Reply): string | undefined =>
  (reply.json as { error?: { reason?: string } } | undefined)?.error?.reason;
