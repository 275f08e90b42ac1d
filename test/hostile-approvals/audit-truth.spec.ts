import { closeApps } from '../nest/support.js';
import { ALICE, CONSOLE, failure, startDesk } from './desk.js';

afterEach(closeApps);

it('records why an identical call on an approved record was refused', async () => {
  const { ask, approve, rights, runner, audit, desk, trail } = await startDesk();
  const input = { id: 1 };
  const id = await ask('desk.drop', input, { surface: 'mcp' });
  await approve(CONSOLE, id);
  rights.set('alice', null);
  const outcome = await runner.execute('desk.drop', input, { principal: ALICE, surface: 'mcp' });
  expect(failure(outcome).reason).toBe('APPROVAL_VOID');
  expect(desk.effects).toEqual([]);
  const mine = audit.events.filter((event) => event.executionId === outcome.executionId);
  expect(mine.at(-1)).toMatchObject({ type: 'denied', cause: 'APPROVAL_VOID' });
  expect(await trail.verify('default')).toMatchObject({ ok: true });
});
