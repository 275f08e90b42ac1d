import { StoredAudit } from '../audit/stored-audit.js';
import { AuditRecorder } from '../audit/audit-recorder.js';
import { CapabilityError } from '../errors/capability-error.js';
import { executionId } from '../kernel/ids.js';
import {
  completePrincipal,
  type Principal,
  type PrincipalInput,
  type PrincipalRef,
} from '../kernel/principal.js';
import { CapabilityPolicy, type ApprovalSubject } from '../policies/capability-policy.js';
import { PermissionChecker } from '../policies/permission-checker.js';
import { PrincipalResolver } from '../policies/principal-resolver.js';
import { MemoryCapabilityStore } from '../stores/memory/memory-store.js';
import { ShiftedClock } from '../testing/shifted-clock.js';
import { ApprovalGate, type ApprovalAsk } from './approval-gate.js';
import { ApprovalInbox } from './approval-inbox.js';
import { ApprovalNotifier, type ApprovalNotification } from './approval-notifier.js';
import type { ApprovalRecord } from './approval-record.js';
import { ApprovalService } from './approval-service.js';
import type { ApprovalTerms } from './approval-terms.js';
import { ApproverRules } from './approver-rules.js';
import { InlineConfirmer, type InlineAnswer } from './inline-confirmer.js';
import { SessionStepUp } from './step-up.js';

interface User {
  readonly permissions: readonly string[];
}

class Policy extends CapabilityPolicy<unknown, string> {
  override version = '1';
  userHasPermission(user: unknown, permission: string): boolean {
    return (user as User).permissions.includes(permission);
  }
}

const inputs: Record<string, Omit<PrincipalInput, 'user'> & User> = {
  alice: { id: 'alice', kind: 'user', credentialId: 'alice-session', permissions: [] },
  'alice-phone': { id: 'alice', kind: 'user', credentialId: 'alice-phone', permissions: [] },
  'alice-key': {
    id: 'key-7',
    kind: 'service',
    human: 'alice',
    credentialId: 'key-7',
    permissions: ['approvals:decide'],
  },
  'alice-agent': {
    id: 'agent-1',
    kind: 'agent',
    human: 'alice',
    credentialId: 'agent-1',
    permissions: ['approvals:decide'],
  },
  svc: { id: 'job:nightly', kind: 'unattended', human: 'alice', permissions: ['approvals:decide'] },
  robot: { id: 'robot', kind: 'service', credentialId: 'robot', permissions: [] },
  bob: { id: 'bob', kind: 'user', credentialId: 'bob-session', permissions: ['approvals:decide'] },
  dave: {
    id: 'dave',
    kind: 'user',
    credentialId: 'dave-session',
    permissions: ['approvals:decide', 'special'],
  },
  carol: {
    id: 'carol',
    kind: 'user',
    tenant: 't2',
    credentialId: 'carol',
    permissions: ['approvals:decide'],
  },
  reader: { id: 'reader', kind: 'user', credentialId: 'reader', permissions: [] },
  auditor: { id: 'auditor', kind: 'user', credentialId: 'auditor', permissions: ['approvals:audit'] },
  operator: { id: 'operator', kind: 'user', credentialId: 'op', permissions: ['approvals:operate'] },
  'bob-agent': {
    id: 'agent-2',
    kind: 'agent',
    human: 'bob',
    credentialId: 'agent-2',
    permissions: ['approvals:decide'],
  },
};

const who = (name: string, change: Partial<PrincipalInput> = {}): Principal => {
  const { permissions, ...input } = inputs[name]!;
  return completePrincipal({ tenant: 't1', ...input, user: { permissions }, ...change })!;
};

class Notes extends ApprovalNotifier {
  readonly told: string[] = [];
  async notify({ type }: ApprovalNotification): Promise<void> {
    this.told.push(type);
  }
}

function setUp(change: { policy?: CapabilityPolicy<unknown, string>; disabled?: Set<string> } = {}) {
  const clock = new ShiftedClock();
  const store = new MemoryCapabilityStore({ clock });
  const policy = change.policy ?? new Policy();
  const disabled = change.disabled ?? new Set<string>();
  class Resolver extends PrincipalResolver<unknown> {
    async resolve(): Promise<null> {
      return null;
    }
    override async reload(ref: PrincipalRef): Promise<PrincipalInput<unknown> | null> {
      return disabled.has(ref.id) ? null : { ...ref, user: { permissions: [] } };
    }
  }
  const notes = new Notes();
  const permissions = new PermissionChecker(policy, 500);
  const recorder = new AuditRecorder([new StoredAudit(store.audit)], () => undefined);
  const ports = {
    store: store.approvals,
    policy,
    permissions,
    policyTimeoutMs: 500,
    principals: new Resolver(),
    recorder,
    clock,
    stepUp: new SessionStepUp(clock),
    notifiers: [notes],
    auditKey: 'k'.repeat(32),
    onFault: () => undefined,
  };
  const rules = new ApproverRules(policy, permissions, 500);
  const [gate, service, inbox] = [
    new ApprovalGate(ports, rules),
    new ApprovalService(ports, rules),
    new ApprovalInbox(ports, rules),
  ];
  const ask = async (
    requester = who('alice'),
    terms: Partial<ApprovalTerms> = {},
    more: Partial<ApprovalAsk> = {},
  ) => (await gate.ask({ ...askOf(requester, terms), ...more })).record;
  const events = async (tenant = 't1') =>
    (await store.audit.page({ tenant, limit: 1000 })).entries.map(({ event }) =>
      event.type === 'denied' ? `denied:${event.cause}` : event.type,
    );
  return { clock, store, gate, service, inbox, ask, events, notes, disabled, policy };
}

function askOf(principal: Principal, terms: Partial<ApprovalTerms>): ApprovalAsk {
  const id = executionId();
  return {
    principal,
    surface: 'rest',
    capability: 'refund.issue',
    fingerprint: 'f1',
    input: { orderId: 'o1', amount: 500 },
    classes: [],
    action: {
      verb: 'Refund',
      target: { product: 'shop', kind: 'order', id: 'o1' },
      arguments: {},
      reversible: false,
    },
    terms: {
      by: 'another',
      strength: 'none',
      decideWithin: 900_000,
      executeWithin: 300_000,
      quorum: 1,
      approvers: null,
      permission: null,
      type: null,
      reasons: ['large'],
      ...terms,
    },
    executionId: id,
    correlationId: id,
    stances: [],
  };
}

const approve = { decision: 'approve' } as const;
const reject = { decision: 'reject' } as const;

async function reasonOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'done';
  } catch (error) {
    return error instanceof CapabilityError ? error.reason : String(error);
  }
}

describe('who decides on a gate by another human', () => {
  it.each([
    ['bob', 'done'],
    ['alice', 'SELF_APPROVAL'],
    ['alice-phone', 'SELF_APPROVAL'],
    ['alice-key', 'SELF_APPROVAL'],
    ['alice-agent', 'SELF_APPROVAL'],
    ['svc', 'SELF_APPROVAL'],
    ['bob-agent', 'SAME_CREDENTIAL'],
    ['robot', 'NOT_FOUND'],
    ['carol', 'NOT_FOUND'],
    ['reader', 'NOT_FOUND'],
    ['auditor', 'FORBIDDEN'],
    ['operator', 'FORBIDDEN'],
  ])('%s: %s', async (name, reason) => {
    const { ask, service } = setUp();
    const record = await ask();
    expect(await reasonOf(service.decide(who(name), record.id, approve))).toBe(reason);
  });

  it.each(['alice-key', 'alice-agent', 'svc'])('a request by %s is its owner’s own', async (name) => {
    const { ask, service } = setUp();
    const record = await ask(who(name));
    expect(await reasonOf(service.decide(who('alice'), record.id, approve))).toBe('SELF_APPROVAL');
    expect(await reasonOf(service.decide(who('bob'), record.id, approve))).toBe('done');
  });

  it('named approvers replace the policy’s rule; a declared permission adds to it', async () => {
    const { ask, service } = setUp();
    const named = await ask(who('alice'), { approvers: ['reader'] });
    expect(await reasonOf(service.decide(who('bob'), named.id, approve))).toBe('FORBIDDEN');
    expect(await reasonOf(service.decide(who('reader'), named.id, approve))).toBe('done');
    const special = await ask(who('alice'), { permission: 'special' });
    expect(await reasonOf(service.decide(who('bob'), special.id, approve))).toBe('NOT_FOUND');
    expect(await reasonOf(service.decide(who('dave'), special.id, approve))).toBe('done');
  });

  it('asks the policy’s canApprove, and fails closed when it throws or answers nonsense', async () => {
    class Careful extends Policy {
      override canApprove(user: unknown, approval: ApprovalSubject): boolean {
        const { permissions } = user as User;
        if (permissions.includes('special')) throw new Error('down');
        return (
          permissions.includes('approvals:decide') ? approval.capability === 'refund.issue' : 'yes'
        ) as boolean;
      }
    }
    const { ask, service } = setUp({ policy: new Careful() });
    const record = await ask();
    expect(await reasonOf(service.decide(who('dave'), record.id, approve))).toBe('NOT_FOUND');
    expect(await reasonOf(service.decide(who('reader'), record.id, approve))).toBe('NOT_FOUND');
    expect(await reasonOf(service.decide(who('bob'), record.id, approve))).toBe('done');
  });
});

describe('who decides on other gates', () => {
  it('by the principal: the same human with another credential', async () => {
    const { ask, service } = setUp();
    const record = await ask(who('alice'), { by: 'principal' });
    expect(await reasonOf(service.decide(who('alice'), record.id, approve))).toBe('SAME_CREDENTIAL');
    expect(await reasonOf(service.decide(who('alice-key'), record.id, approve))).toBe('SAME_CREDENTIAL');
    expect(await reasonOf(service.decide(who('bob'), record.id, approve))).toBe('FORBIDDEN');
    expect(await reasonOf(service.decide(who('alice-phone'), record.id, approve))).toBe('done');
    const byAgent = await ask(who('alice-agent'), { by: 'principal' });
    expect(await reasonOf(service.decide(who('alice'), byAgent.id, approve))).toBe('done');
  });

  it('without credential ids, the principal that asked cannot answer itself', async () => {
    const { ask, service } = setUp();
    const bare = who('alice', { credentialId: null });
    const record = await ask(bare, { by: 'principal' });
    expect(await reasonOf(service.decide(bare, record.id, approve))).toBe('SAME_CREDENTIAL');
  });

  it('by the host: an operator, never the requester', async () => {
    const { ask, service } = setUp();
    const record = await ask(who('alice'), { by: 'host' });
    expect(await reasonOf(service.decide(who('bob'), record.id, approve))).toBe('NOT_FOUND');
    expect(await reasonOf(service.decide(who('operator'), record.id, approve))).toBe('done');
    const own = await ask(who('operator'), { by: 'host' });
    expect(await reasonOf(service.decide(who('operator'), own.id, approve))).toBe('SELF_APPROVAL');
  });

  it('strength `session` wants a fresh sign-in to approve, not to reject', async () => {
    const { ask, service, clock } = setUp();
    const record = await ask(who('alice'), { strength: 'session', quorum: 2 });
    const seconds = Math.floor(clock.now() / 1000);
    expect(await reasonOf(service.decide(who('bob'), record.id, approve))).toBe('UNAUTHENTICATED');
    expect(
      await reasonOf(service.decide(who('bob', { authTime: seconds - 1_200 }), record.id, approve)),
    ).toBe('UNAUTHENTICATED');
    expect(await reasonOf(service.decide(who('bob', { authTime: seconds }), record.id, approve))).toBe(
      'done',
    );
    expect(await reasonOf(service.decide(who('dave'), record.id, reject))).toBe('done');
    const strong = await ask(who('alice'), { strength: 'webauthn' });
    expect(await reasonOf(service.decide(who('bob', { authTime: seconds }), strong.id, approve))).toBe(
      'UNAUTHENTICATED',
    );
  });
});

describe('decisions that come too late', () => {
  it('are distinct, and tell who decided and when', async () => {
    const { ask, service, clock, events } = setUp();
    const decided = await ask();
    await service.decide(who('bob'), decided.id, { decision: 'reject', reason: 'no' });
    const error = await service
      .decide(who('dave'), decided.id, approve)
      .catch((caught: unknown) => caught as CapabilityError);
    expect(error).toMatchObject({
      reason: 'ALREADY_DECIDED',
      details: { decision: { decision: 'reject', by: 'bob' } },
    });
    const overdue = await ask();
    clock.advance(900_001);
    expect(await reasonOf(service.decide(who('bob'), overdue.id, approve))).toBe('EXPIRED');
    const withdrawn = await ask();
    await service.cancel(who('alice'), withdrawn.id, 'wrong order');
    expect(await reasonOf(service.decide(who('bob'), withdrawn.id, approve))).toBe('WITHDRAWN');
    for (const id of ['nonsense', '00000000-0000-4000-8000-000000000000']) {
      expect(await reasonOf(service.decide(who('bob'), id, approve))).toBe('NOT_FOUND');
    }
    expect(await events()).toEqual([
      'suspended',
      'decided',
      'denied:ALREADY_DECIDED',
      'suspended',
      'expired',
      'denied:EXPIRED',
      'suspended',
      'withdrawn',
      'denied:WITHDRAWN',
      'denied:NOT_FOUND',
      'denied:NOT_FOUND',
    ]);
  });

  it('count one vote a human towards the quorum', async () => {
    const { ask, service, notes } = setUp();
    const record = await ask(who('alice'), { quorum: 2 });
    expect((await service.decide(who('bob'), record.id, approve)).state).toBe('pending');
    expect(await reasonOf(service.decide(who('bob', { credentialId: 'other' }), record.id, approve))).toBe(
      'ALREADY_DECIDED',
    );
    expect((await service.decide(who('dave'), record.id, approve)).state).toBe('approved');
    expect(notes.told).toEqual(['requested', 'voted', 'approved']);
  });
});

describe('taking back, voiding, resolving', () => {
  it('only the requester’s human withdraws, pending or approved, not executed', async () => {
    const { ask, service } = setUp();
    const record = await ask(who('alice-agent'));
    expect(await reasonOf(service.cancel(who('bob'), record.id))).toBe('FORBIDDEN');
    await service.decide(who('bob'), record.id, approve);
    expect((await service.cancel(who('alice'), record.id)).state).toBe('cancelled');
    expect(await reasonOf(service.cancel(who('alice'), record.id))).toBe('WITHDRAWN');
  });

  it('a disabled approver voids the approval; a disabled requester refuses without burning it', async () => {
    const { ask, service, gate, store, disabled } = setUp();
    const record = await ask();
    await service.decide(who('bob'), record.id, approve);
    const approved = await gate.open(who('alice'), record.id);
    disabled.add('alice');
    expect(await reasonOf(gate.reloadRequester(approved))).toBe('FORBIDDEN');
    expect((await store.approvals.get('t1', record.id))!.state).toBe('approved');
    disabled.add('bob');
    expect(await reasonOf(gate.recheckApprovers(approved, who('alice')))).toBe('APPROVAL_VOID');
    expect((await store.approvals.get('t1', record.id))!.state).toBe('void');
    expect(await reasonOf(gate.open(who('alice'), record.id))).toBe('APPROVAL_VOID');
  });

  it('self-approval is found again at execution, when the requester turns out to be the approver', async () => {
    const { ask, service, gate } = setUp();
    const record = await ask(who('robot'));
    await service.decide(who('bob'), record.id, approve);
    const approved = await gate.open(who('robot'), record.id);
    expect(await reasonOf(gate.recheckApprovers(approved, who('robot')))).toBe('done');
    expect(await reasonOf(gate.recheckApprovers(approved, who('robot', { human: 'bob' })))).toBe(
      'SELF_APPROVAL',
    );
  });

  it('an operator resolves an unknown outcome, nobody else and once', async () => {
    const { ask, service, gate, store, clock } = setUp();
    const record = await ask(who('operator', { id: 'requester', human: 'requester' }));
    await service.decide(who('bob'), record.id, approve);
    const { fingerprint, policyVersion, id, tenant } = record;
    const started = {
      ...(await gate.ask(askOf(who('alice'), {}))).event,
      type: 'started',
      effect: true,
    } as never;
    await store.take({
      executionId: 'e1',
      leaseMs: 1_000,
      approval: { tenant, id, fingerprint, policyVersion },
      started,
    });
    const operator = who('operator');
    expect(await reasonOf(service.resolve(operator, id, 'succeeded'))).not.toBe('done');
    clock.advance(1_001);
    expect(await reasonOf(service.resolve(who('bob'), id, 'succeeded'))).toBe('FORBIDDEN');
    expect((await service.resolve(operator, id, 'succeeded', 'seen')).state).toBe('succeeded');
    expect(await reasonOf(service.resolve(operator, id, 'failed'))).not.toBe('done');
  });
});

describe('asking', () => {
  it('coalesces identical open requests of one requester, and nothing else', async () => {
    const { ask, service } = setUp();
    const first = await ask();
    const same = [await ask(), await ask(who('alice'), {}, { input: { amount: 500, orderId: 'o1' } })];
    expect(new Set([first, ...same].map((record) => record.id)).size).toBe(1);
    const others = [
      await ask(who('alice-phone')),
      await ask(who('reader')),
      await ask(who('alice'), {}, { input: { orderId: 'o1', amount: 501 } }),
      await ask(who('alice'), {}, { surface: 'mcp' }),
      await ask(who('alice'), {}, { fingerprint: 'f2' }),
      await ask(who('alice'), { quorum: 2 }),
    ];
    expect(new Set([first, ...others].map((record) => record.id)).size).toBe(7);
    await service.decide(who('bob'), first.id, approve);
    const again = await ask();
    expect([again.id, again.state]).toEqual([first.id, 'approved']);
  });

  it('refuses an input that cannot be stored, naming the place', async () => {
    const { ask } = setUp();
    const error = await ask(who('alice'), {}, { input: { file: { stream: () => 1 } } }).catch(
      (caught: unknown) => caught,
    );
    expect(error).toMatchObject({
      reason: 'UNSTORABLE_INPUT',
      status: 422,
      details: { field: 'file.stream' },
    });
  });

  it('binds the contract and the policy’s version', async () => {
    const { ask, gate, policy } = setUp();
    const record = await ask();
    expect(() => gate.assertUnchanged(record, 'f1')).not.toThrow();
    expect(() => gate.assertUnchanged(record, 'f2')).toThrow(CapabilityError);
    (policy as Policy).version = '2';
    expect(() => gate.assertUnchanged(record, 'f1')).toThrow(CapabilityError);
  });

  it('only the requester’s human opens it for execution', async () => {
    const { ask, gate } = setUp();
    const record = await ask(who('alice-agent'));
    expect(await reasonOf(gate.open(who('bob'), record.id))).toBe('FORBIDDEN');
    expect(await reasonOf(gate.open(who('carol'), record.id))).toBe('NOT_FOUND');
    expect(await reasonOf(gate.open(who('alice'), 'nonsense'))).toBe('NOT_FOUND');
    expect((await gate.open(who('alice'), record.id)).state).toBe('pending');
  });
});

describe('confirming inline', () => {
  class Says extends InlineConfirmer {
    constructor(private readonly answer: () => Promise<InlineAnswer | undefined>) {
      super();
    }
    confirm(): Promise<InlineAnswer | undefined> {
      return this.answer();
    }
  }
  const confirm = async (
    record: ApprovalRecord,
    service: ApprovalService,
    answer: () => Promise<InlineAnswer | undefined>,
  ) =>
    (await service.confirmInline(who('alice'), record, new Says(answer), new AbortController().signal)).state;

  it('lets the human behind the call answer on the spot', async () => {
    const { ask, service } = setUp();
    const record = await ask(who('alice'), { by: 'principal' });
    expect(await confirm(record, service, async () => undefined)).toBe('pending');
    expect(await confirm(record, service, async () => ({ decision: 'approve' }))).toBe('approved');
    const other = await ask(who('alice'), { by: 'principal' }, { input: 2 });
    expect(await confirm(other, service, async () => ({ decision: 'reject', reason: 'no' }))).toBe('denied');
  });

  it('never stands in for another human, and gives up at the end of the window', async () => {
    const { ask, service } = setUp();
    const four = await ask();
    expect(await confirm(four, service, async () => ({ decision: 'approve' }))).toBe('pending');
    const short = await ask(who('alice'), { by: 'principal', decideWithin: 30 });
    expect(await confirm(short, service, () => new Promise(() => undefined))).toBe('pending');
  });
});

describe('lists', () => {
  it('show each principal only what it may see', async () => {
    const { ask, inbox, service } = setUp();
    const own = await ask(who('alice'));
    const named = await ask(who('bob'), { approvers: ['reader', 'dave'] }, { input: 1 });
    const confirmation = await ask(who('reader'), { by: 'principal' }, { input: 2 });
    const ids = async (name: string, view?: 'own' | 'decidable' | 'all') =>
      (await inbox.list(who(name), { order: 'oldest', ...(view === undefined ? {} : { view }) })).records.map(
        (record) => record.id,
      );
    expect(await ids('alice')).toEqual([own.id]);
    expect(await ids('alice-key', 'own')).toEqual([own.id]);
    expect(await ids('bob', 'own')).toEqual([named.id]);
    expect(await ids('bob', 'decidable')).toEqual([own.id]);
    expect(await ids('dave', 'decidable')).toEqual([own.id, named.id]);
    expect(await ids('reader')).toEqual([named.id, confirmation.id]);
    expect(await ids('reader', 'decidable')).toEqual([named.id]);
    expect(await ids('carol')).toEqual([]);
    expect(await ids('auditor', 'all')).toEqual([own.id, named.id, confirmation.id]);
    expect(await reasonOf(ids('bob', 'all'))).toBe('FORBIDDEN');
    await service.decide(who('dave'), own.id, approve);
    expect(await ids('bob', 'decidable')).toEqual([]);
  });

  it('page through a sparse list without missing or repeating', async () => {
    const { ask, inbox } = setUp();
    const wanted: string[] = [];
    for (let index = 0; index < 30; index++) {
      const requester = who(index % 3 ? 'alice' : 'reader');
      const record = await ask(requester, {}, { input: index });
      if (index % 3 === 0) wanted.push(record.id);
    }
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await inbox.list(who('reader'), {
        order: 'oldest',
        limit: 3,
        ...(cursor === undefined ? {} : { cursor }),
      });
      seen.push(...page.records.map((record) => record.id));
      cursor = page.next;
    } while (cursor !== undefined);
    expect(seen).toEqual(wanted);
  });

  it('record every view', async () => {
    const { ask, inbox, service, events } = setUp();
    const record = await ask();
    await service.get(who('bob'), record.id);
    await inbox.list(who('bob'));
    expect(await events()).toEqual(['suspended', 'viewed', 'viewed']);
  });
});
