import { jest } from '@jest/globals';
import { PGlite } from '@electric-sql/pglite';
import { ApprovalService, CapabilityRunner, completePrincipal } from 'nest-capabilities';
import {
  MemoryProgramStore,
  type ProgramClaim,
  type ProgramDiagnostic,
  type ProgramLease,
  type ProgramRecord,
  SqlProgramStore,
} from 'nest-capabilities/code-mode';
import { fromPglite, SqlCapabilityStore } from 'nest-capabilities/sql';
import { reader } from '../nest/support.js';
import { boss, bootPrograms, closeApps, type ProgramApp, writer } from './program-app.js';

// The first program of a process loads the sandbox.
jest.setTimeout(30_000);

afterAll(closeApps);

const decider = completePrincipal(boss)!;

const idOf = (diagnostic: ProgramDiagnostic | null): string => {
  expect(diagnostic?.kind).toBe('ApprovalRequired');
  const [approval] = diagnostic?.approvals ?? [];
  expect(diagnostic?.message).toContain(approval!.approvalId);
  return approval!.approvalId;
};

const decide = (
  { app }: ProgramApp,
  id: string,
  decision: 'approve' | 'reject' = 'approve',
  reason = 'because',
) => app.get(ApprovalService).decide(decider, id, { decision, reason });

const TWO_WRITES = `
  const seen = [Math.random(), Date.now()];
  const first = await tools['docs.write']({ text: 'first' });
  console.log('first done');
  const second = await tools['docs.publish']({ text: 'second' });
  seen.push(Math.random());
  return { first, second, seen };`;

describe('a program whose second write needs approval', () => {
  it('ends, and goes on after the decision with each effect once', async () => {
    const programs = await bootPrograms();
    const stopped = await programs.run(TWO_WRITES);
    expect(stopped).toMatchObject({
      result: null,
      logs: ['log: first done'],
      diagnostic: { kind: 'ApprovalRequired', approvals: [{ reasons: expect.any(Array) as unknown }] },
      toolCalls: ['docs.write', 'docs.publish'],
    });
    expect(programs.effects.written).toEqual(['first']);

    const waiting = await programs.run(TWO_WRITES);
    expect(idOf(waiting.diagnostic)).toBe(idOf(stopped.diagnostic));
    expect(programs.effects.written).toEqual(['first']);

    await decide(programs, idOf(stopped.diagnostic));
    expect(await programs.run(TWO_WRITES)).toMatchObject({
      result: { first: 'wrote first', second: 'published second' },
      logs: ['log: first done'],
      diagnostic: null,
      toolCalls: ['docs.write', 'docs.publish'],
    });
    expect(programs.effects.written).toEqual(['first', 'second']);
  });

  it('starts anew once it has ended', async () => {
    const programs = await bootPrograms();
    const code = "return await tools['docs.write']({ text: 'again' })";
    await programs.run(code);
    await programs.run(code);
    expect(programs.effects.written).toEqual(['again', 'again']);
  });

  it('sees the same time and randomness again', async () => {
    const programs = await bootPrograms();
    const code = `const seen = [Math.random(), Date.now(), new Date().toISOString()];
      seen.push((await tools['docs.echo']({ text: 'x' })).text, Date.now());
      console.log(seen);
      await tools['docs.publish']({ text: 'x' });
      return Math.random() !== seen[0]`;
    const stopped = await programs.run(code);
    await decide(programs, idOf(stopped.diagnostic));
    await new Promise((resolve) => setTimeout(resolve, 20));
    const ended = await programs.run(code);
    expect(ended).toMatchObject({ result: true, diagnostic: null });
    expect(ended.logs).toEqual(stopped.logs);
  });

  it('hears of a denial as a failure that it can catch', async () => {
    const programs = await bootPrograms();
    const code = `await tools['docs.write']({ text: 'first' });
      try { return await tools['docs.publish']({ text: 'second' }) } catch (error) { return [error._tag, error.decision?.decision] }`;
    const stopped = await programs.run(code);
    await decide(programs, idOf(stopped.diagnostic), 'reject');
    expect(await programs.run(code)).toMatchObject({
      result: ['APPROVAL_DENIED', 'reject'],
      diagnostic: null,
    });
    expect(programs.effects.written).toEqual(['first']);
  });

  it('learns the outcome when somebody else executed the approval', async () => {
    const programs = await bootPrograms();
    const stopped = await programs.run(TWO_WRITES);
    await decide(programs, idOf(stopped.diagnostic));
    await programs.app.get(CapabilityRunner).executeApproval(idOf(stopped.diagnostic), { principal: writer });
    expect(programs.effects.written).toEqual(['first', 'second']);
    expect(await programs.run(TWO_WRITES)).toMatchObject({
      result: { first: 'wrote first', second: 'published second' },
      diagnostic: null,
    });
    expect(programs.effects.written).toEqual(['first', 'second']);
  });

  it('lets parallel calls settle before it ends, and repeats none of them', async () => {
    const programs = await bootPrograms();
    const code = `const order = [];
      const note = (name, call) => call.then((value) => { order.push(name); return value });
      await Promise.all([
        note('slow', tools['docs.slow']({ n: 1 })),
        note('write', tools['docs.write']({ text: 'parallel' })),
        note('one', tools['docs.publish']({ text: 'one' })),
        note('two', tools['docs.publish']({ text: 'two' })),
      ]);
      return order`;
    const stopped = await programs.run(code);
    const ids = stopped.diagnostic?.approvals?.map(({ approvalId }) => approvalId) ?? [];
    expect(new Set(ids).size).toBe(2);
    await decide(programs, ids[0]!);
    const half = await programs.run(code);
    expect(half.diagnostic?.approvals?.map(({ approvalId }) => approvalId)).toEqual([ids[1]]);
    await decide(programs, ids[1]!);
    const ended = await programs.run(code);
    expect(ended.diagnostic).toBeNull();
    expect((ended.result as string[]).toSorted()).toEqual(['one', 'slow', 'two', 'write']);
    expect(programs.effects.written.toSorted()).toEqual(['one', 'parallel', 'two']);
  });

  it('is another program for another principal and for other code', async () => {
    const programs = await bootPrograms();
    const code = "return await tools['docs.publish']({ text: 'mine' })";
    const id = idOf((await programs.run(code)).diagnostic);
    await decide(programs, id);
    const { diagnostic } = await programs.run(code, { principal: reader });
    expect(diagnostic).toMatchObject({ tag: 'FORBIDDEN' });
    expect(programs.effects.written).toEqual([]);
    expect((await programs.run(code)).result).toBe('published mine');
  });
});

describe('a program that does not repeat itself', () => {
  /** `Date.prototype.constructor` is the sandbox's own clock, which is not seeded. */
  const UNSEEDED = 'new Date(0).constructor.now()';

  it('stops at the first other call, and runs nothing again', async () => {
    const programs = await bootPrograms();
    const code = `await tools['docs.write']({ text: 'first' });
      await tools['docs.write']({ text: String(${UNSEEDED}) });
      return await tools['docs.publish']({ text: 'last' })`;
    const stopped = await programs.run(code);
    expect(programs.effects.written).toHaveLength(2);
    await decide(programs, idOf(stopped.diagnostic));
    await new Promise((resolve) => setTimeout(resolve, 20));
    for (const _ of [1, 2]) {
      expect(await programs.run(code)).toMatchObject({
        result: null,
        diagnostic: {
          kind: 'ReplayMismatch',
          message: expect.stringContaining('nothing was run again') as string,
        },
        toolCalls: ['docs.write', 'docs.write'],
      });
    }
    expect(programs.effects.written).toHaveLength(2);
  });
});

describe('programs that wait', () => {
  it('go on in another process', async () => {
    const database = await PGlite.create();
    const start = () => {
      const sql = fromPglite(database, { timeoutMs: 20_000 });
      const store = { useValue: new SqlCapabilityStore(sql) };
      return bootPrograms({ store: new SqlProgramStore(sql) }, { store });
    };
    const first = await start();
    const stopped = await first.run(TWO_WRITES);
    await first.app.close();
    const second = await start();
    await decide(second, idOf(stopped.diagnostic));
    expect(await second.run(TWO_WRITES)).toMatchObject({
      result: { first: 'wrote first', second: 'published second' },
      diagnostic: null,
    });
    expect(first.effects.written).toEqual(['first']);
    expect(second.effects.written).toEqual(['second']);
    await second.app.close();
    await database.close();
  });

  it('have no effect that was not written down before', async () => {
    class Unwritable extends MemoryProgramStore {
      override save(): Promise<boolean> {
        return Promise.reject(new Error('disk full'));
      }
    }
    const programs = await bootPrograms({ store: new Unwritable() });
    const code =
      "const { text } = await tools['docs.echo']({ text: 'x' }); return await tools['docs.write']({ text })";
    expect(await programs.run(code)).toMatchObject({
      diagnostic: { kind: 'ToolFailure', tag: 'UNAVAILABLE' },
      toolCalls: ['docs.echo', 'docs.write'],
    });
    expect(programs.effects.written).toEqual([]);
  });

  it('hear that an outcome is unknown when their process died before it was written', async () => {
    class Dying extends MemoryProgramStore {
      private dead = false;
      override async save(record: ProgramRecord): Promise<boolean> {
        if (this.dead) throw new Error('gone');
        const stored = await super.save({ ...record, until: 0 });
        this.dead = record.calls.some(({ name }) => name === 'docs.write');
        return stored;
      }
      override remove(): Promise<void> {
        return Promise.resolve();
      }
      override claim(key: string, lease: ProgramLease): Promise<ProgramClaim> {
        this.dead = false;
        return super.claim(key, lease);
      }
    }
    const programs = await bootPrograms({ store: new Dying() });
    const code =
      "try { return await tools['docs.write']({ text: 'once' }) } catch ({ _tag }) { return _tag }";
    expect((await programs.run(code)).result).toBe('wrote once');
    expect((await programs.run(code)).result).toBe('OUTCOME_UNKNOWN');
    expect(programs.effects.written).toEqual(['once']);
  });

  it('are gone on with by one run at a time', async () => {
    const programs = await bootPrograms();
    const code = `await tools['docs.slow']({ n: 1 }); await tools['docs.publish']({ text: 'once' }); await tools['docs.slow']({ n: 2 })`;
    const stopped = await programs.run(code);
    await decide(programs, idOf(stopped.diagnostic));
    const ends = await Promise.allSettled([programs.run(code), programs.run(code)]);
    const refused = ends.find((end) => end.status === 'rejected');
    expect(refused?.reason).toMatchObject({ reason: 'IN_PROGRESS' });
    expect(programs.effects.written).toEqual(['once']);
  });

  it('are not forgotten by a run that ran out of time after an effect', async () => {
    const programs = await bootPrograms({ limits: { wallClockMs: 3_000 } });
    const code = `await tools['docs.write']({ text: 'effect' }); await tools['docs.hang']()`;
    for (const _ of [1, 2]) {
      expect(await programs.run(code)).toMatchObject({
        diagnostic: { kind: 'TimeoutExceeded' },
        toolCalls: ['docs.write', 'docs.hang'],
      });
    }
    expect(programs.effects.written).toEqual(['effect']);
  });
});
