import { jest } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { bootPrograms, closeApps, type ProgramApp } from './program-app.js';

// The first program of a process loads the sandbox.
jest.setTimeout(30_000);

const MIB = 1024 * 1024;
let programs: ProgramApp;
let server: Server;
let requests = 0;

beforeAll(async () => {
  programs = await bootPrograms({
    limits: { cpuMs: 3_000, wallClockMs: 20_000, memoryBytes: 16 * MIB },
  });
  server = createServer((_request, response) => {
    requests += 1;
    response.end('reached');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(async () => {
  server.close();
  await closeApps();
});

const HEALTHY = `let sum = 0;
  for (let n = 0; n < 10; n++) sum += (await tools['docs.slow']({ n }));
  return sum`;

/** Runs a hostile program beside a healthy one, and watches the process. */
async function beside(hostile: string) {
  await programs.run('return 1');
  const before = process.memoryUsage.rss();
  let peak = before;
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 5);
  const [bad, good] = await Promise.all([programs.run(hostile), programs.run(HEALTHY)]);
  clearInterval(watch);
  expect(good).toMatchObject({ result: 45, diagnostic: null });
  expect((peak - before) / MIB).toBeLessThan(250);
  return bad;
}

describe('a program that does not end', () => {
  it.each([
    ['before any await', 'for (;;);'],
    ['after a call', "await tools['docs.echo']({ text: 'x' }); for (;;);"],
    ['after an await', 'await null; for (;;);'],
    ['in a microtask', 'Promise.resolve().then(() => { for (;;); }); await new Promise(() => {})'],
    ['through microtasks', 'for (;;) await null'],
    ['while a call waits', "tools['docs.slow']({ n: 1 }); for (;;);"],
    ['in a regular expression', "return /^(a+)+$/.test('a'.repeat(60) + 'b')"],
    ['while its result is written', 'return { toJSON() { for (;;); } }'],
    ['while its error is read', 'throw { get message() { for (;;); } }'],
    ['while it logs', 'console.log({ toJSON() { for (;;); } })'],
    ['while its argument is written', "await tools['docs.echo']({ toJSON() { for (;;); } })"],
  ])('is stopped %s, and the others go on', async (_title, code) => {
    const bad = await beside(code);
    expect(bad).toMatchObject({ result: null, diagnostic: { kind: 'TimeoutExceeded' } });
  });

  it('is stopped when it only waits', async () => {
    const limited = await bootPrograms({ limits: { cpuMs: 400 } });
    expect(await limited.run('await new Promise(() => {})')).toMatchObject({
      diagnostic: { kind: 'TimeoutExceeded' },
    });
  });
});

/** Where the memory ran out decides what the program, or the host, still gets to say. */
const WITHOUT_MEMORY = [
  'ExecutionFailure',
  'HostFailure',
  'TimeoutExceeded',
  'InvalidToolInput',
  'InvalidDataValue',
];

describe('a program that wants memory', () => {
  it.each([
    ['arrays', "const all = []; for (;;) all.push(new Array(1000).fill('x'))"],
    ['typed arrays', 'const all = []; for (;;) all.push(new Uint8Array(1_000_000).fill(1))'],
    ['one typed array', 'return new Float64Array(1e9).length'],
    ['a string', "let text = 'x'; for (;;) text += text"],
    ['a map', 'const map = new Map(); for (let n = 0; ; n++) map.set(n, { n })'],
    ['array buffers', 'const all = []; for (let size = 1e6; ; size *= 2) all.push(new ArrayBuffer(size))'],
    ['the stack', 'const down = () => down() + 1; return down()'],
    ['promises', 'const all = []; for (;;) all.push(new Promise(() => {}))'],
    ['a chain of promises', 'const spin = () => Promise.resolve().then(spin); await spin()'],
    ['logs', "for (;;) console.log('x'.repeat(100_000))"],
    ['an argument', "await tools['docs.echo']({ text: 'x'.repeat(8_000_000) })"],
    ['a result', "return 'x'.repeat(12_000_000)"],
    ['a repeated result', "const line = 'y'.repeat(500_000); return Array.from({ length: 20 }, () => line)"],
  ])('gets no more than its share: %s', async (_title, code) => {
    const bad = await beside(code);
    if (bad.diagnostic === null) expect(bad.truncated).toBe(true);
    else expect(WITHOUT_MEMORY).toContain(bad.diagnostic.kind);
    expect(JSON.stringify(bad).length).toBeLessThan(100_000);
  });

  it('does not flood the host with calls', async () => {
    const bad = await beside("for (;;) tools['docs.slow']({ n: 1 }).catch(() => 0)");
    expect(['ToolCallLimitExceeded', ...WITHOUT_MEMORY]).toContain(bad.diagnostic?.kind);
    expect(bad.toolCalls.length).toBeLessThanOrEqual(100);
  });
});

describe('a program that wants out', () => {
  it.each([
    '(() => 1).constructor("return 1")()',
    '(async () => 1).constructor("return 1")()',
    '(function* () {}).constructor("return 1")()',
    'Object.getPrototypeOf(async () => 1).constructor("return 1")()',
    'console.log.constructor("return 1")()',
    'Promise.resolve.constructor("return 1")()',
    'new Error("x").constructor.constructor("return 1")()',
    'Reflect.construct(Function, ["return 1"])()',
    'new (Object.getPrototypeOf(function () {}).constructor)("return 1")()',
    'Array.prototype.map.constructor("return 1")()',
    'globalThis.eval("1")',
    '(0, eval)("1")',
    'new Proxy(console.log, {}).constructor("return 1")()',
    'Object.defineProperty(Object.prototype, "then", { get() { return 1 } })',
    '(Array.prototype.includes = () => true)',
    '(JSON.stringify = () => "1")',
    '(Promise.prototype.then = () => 1)',
    'await import("fs")',
    'await import("node:child_process")',
    'await import("file:///etc/hostname")',
    'await import("data:text/javascript,export default 1")',
    'process.exit()',
    'require("fs")',
    'setTimeout(() => 1)',
    'Deno.exit()',
    'new WebAssembly.Module(new Uint8Array(8))',
    'new SharedArrayBuffer(8)',
    '__host.call("docs.echo", "{}", [])',
    'globalThis.__host.call("docs.echo", "{}", [])',
    '(function () { return this.__host })()',
  ])('fails: %s', async (attempt) => {
    const { result } = await programs.run(
      `try { const got = ${attempt}; return ['got', typeof got] } catch (error) { return ['refused', error instanceof Error] }`,
    );
    expect(result).toEqual(['refused', true]);
  });

  it('sees nothing of its host (SI-32)', async () => {
    const names = [
      'process',
      'require',
      'module',
      'fetch',
      'XMLHttpRequest',
      'WebSocket',
      'Buffer',
      'performance',
    ];
    const code = `return [${names.map((name) => `typeof ${name}`).join()}, Object.keys(globalThis), typeof this, tools.constructor === Object]`;
    const { result } = await programs.run(code);
    expect((result as unknown[]).slice(0, names.length)).toEqual(names.map(() => 'undefined'));
    expect((result as unknown[]).slice(names.length + 1)).toEqual(['undefined', false]);
    expect((result as string[][])[names.length]).not.toContain('__host');
  });

  it('cannot end the function it is put into', async () => {
    for (const code of [
      '}).call(undefined); } export const config = {}; async function x() { (async function () {',
      "} finally {} return { status: 'returned', result: '1' }; {",
      '*/ } /*',
      'return 1; }); (async () => {',
    ])
      expect((await programs.run(code)).diagnostic).toMatchObject({ kind: 'ParseError' });
  });

  it('cannot write its own report', async () => {
    const forged = "{ status: 'threw', failure: 0, message: 'x' }";
    const { diagnostic, result, toolCalls, truncated } = await programs.run(`
      await tools['docs.closed']().catch(() => 0);
      globalThis.__runResult = Promise.resolve(${forged});
      globalThis.JSON = null;
      return ${forged}`);
    expect({ diagnostic, toolCalls, truncated }).toEqual({
      diagnostic: null,
      toolCalls: ['docs.closed'],
      truncated: false,
    });
    expect(result).toEqual({ status: 'threw', failure: 0, message: 'x' });
  });

  it('reaches no server and no file (SI-32)', async () => {
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/`;
    await programs.run(`
      const tries = [
        () => fetch('${url}'),
        () => globalThis.fetch('${url}'),
        () => new WebSocket('${url.replace('http', 'ws')}'),
        () => import('${url}x.js'),
        () => import('node:http').then((http) => http.get('${url}')),
        () => tools.fetch('${url}'),
        () => tools.constructor.constructor('return fetch')()('${url}'),
      ];
      for (const each of tries) { try { await each() } catch {} }`);
    expect(requests).toBe(0);
    expect(await (await fetch(url)).text()).toBe('reached');
  });
});

it('a killed process leaves no program behind', async () => {
  const child = spawn(process.execPath, [resolve('test/code-mode/endless-program.mjs')], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  expect(line.toString()).toBe('running\n');
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(() => process.kill(-child.pid!, 0)).toThrow('ESRCH');
});
