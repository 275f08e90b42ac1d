import { strict as assert } from 'node:assert';
import type { BatteryCase, Driver } from '../../battery/battery-case.js';
import { answered, audited, effects } from '../../battery/cases/expect.js';
import type { Settings } from '../../battery/fixture/config.js';

interface Change {
  readonly id: string;
  readonly title: string;
  readonly settings?: Settings;
  readonly make?: (t: Driver) => Promise<void>;
  readonly undo?: (t: Driver) => Promise<void>;
  readonly status: number;
  readonly code: string;
  /** What the audit says it was. */
  readonly cause?: string;
  /** The policy that the audit blames. */
  readonly policy?: string;
}

const CHANGES: readonly Change[] = [
  {
    id: 'permission',
    title: 'the requester’s permission was revoked',
    make: (t) => t.revoke('alice', 'refunds:write'),
    undo: (t) => t.restore('alice', 'refunds:write'),
    status: 403,
    code: 'FORBIDDEN',
  },
  {
    id: 'requester',
    title: 'the requester was disabled',
    make: (t) => t.disable('alice'),
    undo: (t) => t.enable('alice'),
    status: 401,
    code: 'UNAUTHENTICATED',
  },
  {
    id: 'exposure',
    title: 'the capability left the surface',
    settings: { refundExpose: ['direct'] },
    status: 404,
    code: 'NOT_FOUND',
    cause: 'UNEXPOSED',
  },
  {
    id: 'deny',
    title: 'a policy now denies',
    settings: { denyRefunds: true },
    status: 403,
    code: 'FORBIDDEN',
    policy: 'refund-stop',
  },
  {
    id: 'schema',
    title: 'the input schema changed',
    settings: { refundField: true },
    status: 409,
    code: 'CAPABILITY_CHANGED',
  },
  {
    id: 'policy-version',
    title: 'the policy’s version changed',
    settings: { policyVersion: '2' },
    status: 409,
    code: 'CAPABILITY_CHANGED',
  },
];

/** An approval that was given before something changed refuses, with its own reason, and is not used up by that. */
export const OLD_APPROVALS: readonly BatteryCase[] = [
  ...CHANGES.map((change): BatteryCase => ({
    id: `old-${change.id}`,
    title: `an approved call refuses after ${change.title}, and runs once that is undone`,
    run: (t) => refusesUntilUndone(t, change),
  })),
  {
    id: 'old-approver',
    title: 'an approval whose approver was disabled is void for good',
    async run(t) {
      const id = await approved(t);
      await t.disable('bob');
      answered(await t.res('alice', id), 403, 'APPROVAL_VOID');
      await t.enable('bob');
      answered(await t.res('alice', id), 403, 'APPROVAL_VOID');
      assert.equal(await t.state(id), 'void');
      await effects(t, 'refund.issue', 0);
      await audited(t, { approval: id, type: 'voided' }, 1);
      await audited(t, { approval: id, type: 'started' }, 0);
    },
  },
  {
    id: 'old-self',
    title: 'an approval by somebody who turns out to be the requester does not run',
    async run(t) {
      const id = await approved(t);
      await t.belongsTo('bob', 'alice');
      answered(await t.res('alice', id), 403, 'SELF_APPROVAL');
      assert.equal(await t.state(id), 'approved');
      await effects(t, 'refund.issue', 0);
      await audited(t, { approval: id, type: 'denied', cause: 'SELF_APPROVAL' }, 1);
    },
  },
  {
    id: 'same-credential',
    title: 'what a model asked for is confirmed by the same human with another credential',
    async run(t) {
      const asked = await t.inv('alice', 'value.set', { text: 'x' }, { surface: 'mcp' });
      answered(asked, 202, 'APPROVAL_REQUIRED');
      const id = asked.approvalId!;
      answered(await t.dec('alice', id, 'approve'), 403, 'SAME_CREDENTIAL');
      answered(await t.dec('alice-key', id, 'approve'), 403, 'SAME_CREDENTIAL');
      answered(await t.dec('bob', id, 'approve'), 403, 'FORBIDDEN');
      assert.equal(await t.state(id), 'pending');
      answered(await t.decideWith('browser-session', 'alice', id, 'approve'), 200);
      answered(await t.res('alice', id), 200);
      await effects(t, 'value.set', 1);
      await audited(t, { approval: id, type: 'denied', cause: 'SAME_CREDENTIAL' }, 2);
    },
  },
  {
    id: 'old-expiry-under-lock',
    title: 'an approval that expires while its row is locked does not run',
    stores: ['postgres'],
    async run(t) {
      const id = await approved(t);
      await t.clock.advance(299_300);
      await t.store.holdRowLock(id, 1_000);
      answered(await t.res('alice', id), 410, 'EXPIRED');
      await effects(t, 'refund.issue', 0);
      await audited(t, { approval: id, type: 'expired' }, 1);
      await audited(t, { approval: id, type: 'started' }, 0);
    },
  },
];

async function refusesUntilUndone(t: Driver, change: Change): Promise<void> {
  const id = await approved(t);
  await change.make?.(t);
  if (change.settings !== undefined) await t.session.reboot('boot', change.settings);
  answered(await t.res('alice', id), change.status, change.code);
  assert.equal(await t.state(id), 'approved');
  await effects(t, 'refund.issue', 0);
  const denials = await t.aud({ type: 'denied', cause: change.cause ?? change.code });
  assert.equal(denials.length, 1);
  if (change.policy !== undefined) assert.match(JSON.stringify(denials), new RegExp(change.policy));
  await change.undo?.(t);
  if (change.settings !== undefined) await t.session.reboot('boot', {});
  answered(await t.res('alice', id), 200);
  await effects(t, 'refund.issue', 1);
  await audited(t, { approval: id, type: 'started' }, 1);
}

async function approved(t: Driver): Promise<string> {
  const id = await t.ask();
  answered(await t.dec('bob', id, 'approve'), 200);
  return id;
}
