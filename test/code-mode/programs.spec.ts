import { jest } from '@jest/globals';
import { ANONYMOUS, CapabilityRunner } from 'nest-capabilities';
import { CodeMode } from 'nest-capabilities/code-mode';
import { reader } from '../nest/support.js';
import { bootPrograms, closeApps, type ProgramApp, tenantOf, writer } from './program-app.js';

// The first program of a process loads the sandbox.
jest.setTimeout(30_000);

let programs: ProgramApp;

beforeAll(async () => {
  programs = await bootPrograms();
});
afterAll(closeApps);

const done = { diagnostic: null, truncated: false };

describe('a program', () => {
  it('calls tools and returns a JSON value', async () => {
    const code = `
      console.log('one', { two: 2 }, undefined);
      const [a, b] = await Promise.all([tools['docs.echo']({ text: 'a' }), tools.docs.echo({ text: 'b' })]);
      console.warn(a.text);
      return { both: a.text + b.text, date: new Date(0) };`;
    expect(await programs.run(code)).toEqual({
      result: { both: 'ab', date: '1970-01-01T00:00:00.000Z' },
      logs: ['log: one {"two":2} undefined', 'warn: a'],
      toolCalls: ['docs.echo', 'docs.echo'],
      ...done,
    });
  });

  it.each([
    ['nothing', ''],
    ['undefined', 'return undefined'],
    ['the answer of a tool without output', "return await tools['docs.nothing']()"],
  ])('that returns %s has the result null', async (_title, code) =>
    expect(await programs.run(code)).toMatchObject({ result: null, ...done }),
  );

  it('may end in a comment, shadow its globals, and throw away unprintable logs', async () => {
    const code = `const console2 = console; { const tools = 1; const Date = tools; }
      const cycle = {}; cycle.self = cycle;
      console2.log(cycle, new TypeError('odd'), 1n, () => 1);
      return 1 // the end`;
    expect(await programs.run(code)).toMatchObject({
      result: 1,
      logs: ['log: [unprintable] TypeError: odd [unprintable] () => 1'],
      ...done,
    });
  });

  it('lists the tools that its principal sees', async () => {
    const code = "return [Object.keys(tools), 'docs.write' in tools, Object.keys(tools.docs)]";
    const all = [
      'big',
      'closed',
      'defect',
      'echo',
      'hang',
      'nothing',
      'publish',
      'slow',
      'tenant',
      'write',
      'wrong',
    ].map((name) => `docs.${name}`);
    expect((await programs.run(code)).result).toEqual([all, true, []]);
    const readable = all.filter((name) => !['docs.publish', 'docs.write'].includes(name));
    expect((await programs.run(code, { principal: reader })).result).toEqual([readable, false, []]);
  });

  it('finds tools with the cursor of the search outside', async () => {
    const query = { query: 'docs', limit: 2, offset: 2 };
    const { result, toolCalls } = await programs.run(
      `const { search } = tools.$codemode; return await search(${JSON.stringify(query)})`,
    );
    expect(toolCalls).toEqual(['$codemode.search']);
    const page = await programs.app.get(CapabilityRunner).call('code.search', query, { principal: writer });
    expect(result).toEqual(page);
    expect(page).toMatchObject({ offset: 2, total: 11, next: { offset: 4 } });
  });

  it('gets the same overview inside as outside', async () => {
    const { result } = await programs.run('return await tools.$codemode.search()');
    expect(result).toEqual(
      await programs.app.get(CapabilityRunner).call('code.search', {}, { principal: writer }),
    );
    expect(result).toHaveProperty('catalogue');
  });

  it('waits for the calls that it did not await', async () => {
    const { effects } = programs;
    const before = effects.written.length;
    const code = "tools['docs.write']({ text: 'later' }); return 'early'";
    expect(await programs.run(code)).toMatchObject({ result: 'early', toolCalls: ['docs.write'], ...done });
    expect(effects.written.slice(before)).toEqual(['later']);
  });

  it('runs its calls in the context in which it started', async () => {
    const code = "return await tools['docs.tenant']()";
    const [one, two] = await Promise.all(
      ['one', 'two'].map((tenant) => tenantOf.run(tenant, () => programs.run(code))),
    );
    expect([one?.result, two?.result]).toEqual(['one', 'two']);
  });

  it('has at most eight calls in flight, and keeps their order', async () => {
    const { effects } = programs;
    effects.peak = 0;
    const code = "return await Promise.all(Array.from({ length: 24 }, (_, n) => tools['docs.slow']({ n })))";
    const { result, toolCalls } = await programs.run(code);
    expect(result).toEqual(Array.from({ length: 24 }, (_, n) => n));
    expect(toolCalls).toHaveLength(24);
    expect(effects.peak).toBe(8);
    expect(effects.active).toBe(0);
  });
});

describe('a failure', () => {
  const failing = async (code: string) => {
    const { result, diagnostic, truncated } = await programs.run(code);
    expect(result).toBeNull();
    expect(truncated).toBe(false);
    return diagnostic;
  };

  it.each([
    ['return )', 'The code is not the body of an async JavaScript function.'],
    ['return 1; } async function x() {', 'The code is not the body of an async JavaScript function.'],
    ['let a: string = 1', 'The code is not the body of an async JavaScript function.'],
  ])('to parse %j', async (code, message) =>
    expect(await failing(code)).toEqual({ kind: 'ParseError', message }),
  );

  it('of its own names what it threw, without paths', async () => {
    expect(await failing("throw new Error('boom in /home/someone/secret.txt')")).toEqual({
      kind: 'ExecutionFailure',
      message: 'boom in [path]',
    });
    expect(await failing("throw 'text'")).toMatchObject({ kind: 'ExecutionFailure', message: 'text' });
    expect((await failing('throw new Error("x".repeat(9000))'))?.message).toHaveLength(512);
  });

  it.each(['return 1n', 'return () => 1', 'const a = []; a.push(a); return a', 'return Symbol()'])(
    'to return JSON: %s',
    async (code) =>
      expect(await failing(code)).toEqual({
        kind: 'InvalidDataValue',
        message: 'The program returned a value that is not JSON.',
      }),
  );

  it.each([
    ['docs.missing', 'UnknownTool', 'UnknownCapability', 'There is no tool "docs.missing".'],
    ['docs.elsewhere', 'UnknownTool', 'UnknownCapability', 'There is no tool "docs.elsewhere".'],
    ['docs.contextual', 'UnknownTool', 'UnknownCapability', 'There is no tool "docs.contextual".'],
    [
      'docs.wrong',
      'InvalidToolOutput',
      'UnencodableOutput',
      'The output of "docs.wrong" cannot be handed over.',
    ],
    ['docs.big', 'InvalidToolOutput', 'UnencodableOutput', 'The output of "docs.big" cannot be handed over.'],
    ['docs.defect', 'ToolFailure', 'HostDefect', '"docs.defect" failed inside. Its cause was logged.'],
    ['docs.closed', 'ToolFailure', 'Closed', 'It closed.'],
  ])('of %s is %s', async (name, kind, tag, message) => {
    const { diagnostic, toolCalls } = await programs.run(`return await tools[${JSON.stringify(name)}]()`);
    expect(diagnostic).toEqual({ kind, tag, message });
    expect(toolCalls).toEqual([name]);
  });

  it('of bad input never repeats the input', async () => {
    for (const argument of ["{ text: 'ok', secret: 1 }", '{ text: 5 }', '1n', 'null']) {
      expect(await failing(`return await tools['docs.echo'](${argument})`)).toEqual({
        kind: 'InvalidToolInput',
        tag: 'InvalidInput',
        message: 'The input of "docs.echo" is not valid.',
      });
    }
  });

  it('of permission is one like on every surface', async () => {
    const code = "return await tools['docs.write']({ text: 'x' })";
    const { diagnostic } = await programs.run(code, { principal: reader });
    expect(diagnostic).toEqual({
      kind: 'ToolFailure',
      tag: 'FORBIDDEN',
      message: 'You are not permitted to do this.',
    });
  });

  it('that the program catches leaves no diagnostic, and carries only public fields', async () => {
    const code = `try { await tools['docs.closed']() } catch (error) {
      return { text: String(error), tag: error._tag, keys: Object.keys(error).sort(), at: error.at, hint: error.hint };
    }`;
    expect(await programs.run(code)).toMatchObject({
      result: {
        text: 'ToolError: It closed.',
        tag: 'Closed',
        keys: ['_tag', 'at', 'code', 'hint', 'reason'],
        at: 'noon',
        hint: 'Reopen it.',
      },
      ...done,
    });
  });

  it.each([
    "throw { diagnostic: { kind: 'HostFailure', message: 'forged' }, kind: 'HostFailure', _tag: 'Closed', message: 'mine' }",
    "const error = new Error('mine'); error._tag = 'HostDefect'; error.id = 0; throw error",
    "try { await tools['docs.closed']() } catch (error) { throw Object.assign(new Error('mine'), error) }",
  ])('cannot be forged: %s', async (code) =>
    expect(await failing(code)).toEqual({ kind: 'ExecutionFailure', message: 'mine' }),
  );
});

describe('limits', () => {
  it('admit exactly so many calls; the others reject and are not listed', async () => {
    const limited = await bootPrograms({ limits: { calls: 2 } });
    const before = limited.effects.written.length;
    const code = `const ends = await Promise.allSettled(['a', 'b', 'c', 'd'].map((text) => tools['docs.write']({ text })));
      return ends.map((end) => end.status === 'fulfilled' ? end.value : end.reason._tag)`;
    expect(await limited.run(code)).toMatchObject({
      result: ['wrote a', 'wrote b', 'ToolCallLimitExceeded', 'ToolCallLimitExceeded'],
      toolCalls: ['docs.write', 'docs.write'],
      ...done,
    });
    expect(limited.effects.written.slice(before)).toEqual(['a', 'b']);
    expect(await limited.run("for (;;) await tools['docs.echo']({ text: 'x' })")).toMatchObject({
      result: null,
      diagnostic: { kind: 'ToolCallLimitExceeded', tag: 'ToolCallLimitExceeded' },
      toolCalls: ['docs.echo', 'docs.echo'],
    });
  });

  it('end a program that goes on calling beyond them', async () => {
    const limited = await bootPrograms({ limits: { calls: 0 } });
    const code = "for (;;) await tools['docs.echo']({ text: 'x' }).catch(() => 0)";
    expect(await limited.run(code)).toMatchObject({
      diagnostic: { kind: 'ToolCallLimitExceeded' },
      toolCalls: [],
    });
    expect(await limited.run('return 1')).toMatchObject({ result: 1, ...done });
  });

  it('cut the output, and say so', async () => {
    const limited = await bootPrograms({ limits: { outputBytes: 10 } });
    expect(await limited.run("console.log('é'); return 'abcdefghijkl'")).toMatchObject({
      result: '\\"abcdef'.slice(1),
      logs: [],
      truncated: true,
    });
    expect(await limited.run("console.log('a'); console.log('b'); return 1")).toMatchObject({
      result: 1,
      logs: ['log: a', 'log'],
      truncated: true,
    });
    expect(
      await limited.run("await tools['docs.echo']({ text: 'x' }); throw new Error('whole message')"),
    ).toEqual({
      result: null,
      logs: [],
      diagnostic: { kind: 'ExecutionFailure', message: 'whole message' },
      toolCalls: ['docs.echo'],
      truncated: false,
    });
    const none = await bootPrograms({ limits: { outputBytes: 0 } });
    expect(await none.run("console.log('a'); return 1")).toMatchObject({
      result: null,
      logs: [],
      truncated: true,
    });
    expect(await none.run('return null')).toMatchObject({ result: null, logs: [], truncated: false });
  });

  it('keep what a program logged before it was stopped', async () => {
    const limited = await bootPrograms({ limits: { cpuMs: 2_000 } });
    const code = "console.log('before'); await tools['docs.echo']({ text: 'x' }); for (;;);";
    expect(await limited.run(code)).toMatchObject({
      logs: ['log: before'],
      diagnostic: { kind: 'TimeoutExceeded', message: 'The program took too long.' },
      toolCalls: ['docs.echo'],
    });
  });

  it('bound the time of a program whose tool does not answer', async () => {
    const limited = await bootPrograms({ limits: { wallClockMs: 3_000 } });
    expect(await limited.run("return await tools['docs.hang']()")).toMatchObject({
      diagnostic: { kind: 'TimeoutExceeded' },
      toolCalls: ['docs.hang'],
    });
  });

  it('refuse more programs at a time than the module allows', async () => {
    const limited = await bootPrograms({ programs: 1 });
    const first = limited.run("return await tools['docs.slow']({ n: 1 })");
    await expect(limited.run('return 2')).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
    expect((await first).result).toBe(1);
    expect((await limited.run('return 2')).result).toBe(2);
  });
});

describe('time and randomness', () => {
  it('start at the time of the call, and do not stand still', async () => {
    const { result } = await programs.run(
      'const a = Date.now(); return [a, new Date().getTime() > a, new Date(5).getTime(), Math.random(), Math.random()]',
    );
    const [now, moves, five, one, two] = result as [number, boolean, number, number, number];
    expect(Math.abs(now - Date.now())).toBeLessThan(60_000);
    expect([moves, five]).toEqual([true, 5]);
    expect(one).not.toBe(two);
    expect(one >= 0 && one < 1 && two >= 0 && two < 1).toBe(true);
  });
});

describe('the caller', () => {
  it('cancels a program and the calls that it waits for', async () => {
    const caller = new AbortController();
    const running = programs.run("return await tools['docs.hang']()", { signal: caller.signal });
    setTimeout(() => caller.abort(), 300);
    await expect(running).rejects.toMatchObject({ reason: 'CANCELLED' });
    expect((await programs.run('return 1')).result).toBe(1);
  });

  it('gets an overview of what is visible, within the budget', async () => {
    const page = await programs.app.get(CapabilityRunner).call('code.search', {}, { principal: reader });
    expect(page).toMatchObject({ total: 9, remaining: 4 });
    const { catalogue } = page as { catalogue: string };
    expect(catalogue).toContain('COMPLETE (9 tools)');
    expect(catalogue).toContain(
      '"docs.echo"(input: { readonly text: string; }): Promise<{ readonly text: string; }>;',
    );
    expect(catalogue).not.toContain('docs.write');
    expect(await programs.app.get(CodeMode).overview(ANONYMOUS)).toBe('COMPLETE (0 tools)');
  });
});
