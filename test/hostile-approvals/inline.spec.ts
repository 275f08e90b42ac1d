import { closeApps } from '../nest/support.js';
import { ALICE, failure, startDesk } from './desk.js';

afterEach(closeApps);

const yes = { confirm: async () => ({ decision: 'approve' as const }) };

describe('an inline confirmer', () => {
  it('does not stand for a strength that it cannot prove: the request waits for the page', async () => {
    const { runner, desk } = await startDesk();
    const outcome = await runner.execute(
      'desk.burn',
      { id: 1 },
      { principal: ALICE, surface: 'cli', confirmer: yes },
    );
    expect(outcome.status).toBe('suspended');
    expect(desk.effects).toEqual([]);
  });

  it('does not count for somebody who lacks the permission that the approval names', async () => {
    const { runner, desk } = await startDesk();
    const outcome = await runner.execute(
      'desk.sell',
      { id: 1 },
      { principal: ALICE, surface: 'cli', confirmer: yes },
    );
    expect(outcome.status).toBe('suspended');
    expect(desk.effects).toEqual([]);
  });

  it('counts for whoever holds it', async () => {
    const { runner, desk } = await startDesk();
    const principal = { ...ALICE, user: { permissions: ['desk:use', 'desk:confirm'] } };
    const outcome = await runner.execute(
      'desk.sell',
      { id: 1 },
      { principal, surface: 'cli', confirmer: yes },
    );
    expect(outcome).toMatchObject({ status: 'completed', output: 1 });
    expect(desk.effects).toEqual([{ id: 1 }]);
  });

  it('leaves one denied event with the true reason when the human says no', async () => {
    const { runner, audit } = await startDesk();
    const confirmer = { confirm: async () => ({ decision: 'reject' as const }) };
    const outcome = await runner.execute(
      'desk.drop',
      { id: 1 },
      { principal: ALICE, surface: 'mcp', confirmer },
    );
    expect(failure(outcome).reason).toBe('APPROVAL_DENIED');
    const last = audit.events.findLast((event) => event.executionId === outcome.executionId);
    expect(last).toMatchObject({ type: 'denied', cause: 'APPROVAL_DENIED' });
  });
});
