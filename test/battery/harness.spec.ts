import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const CASES = `
import { strict as assert } from 'node:assert';
const BIG = { orderId: 'o', amount: 500, currency: 'USD' };

export default [
  {
    id: 'X1',
    title: 'the verbs of the driver',
    stores: ['postgres'],
    async run(t) {
      const ids = await t.askBatch(3);
      assert.equal(new Set(ids).size, 3);
      const own = await t.askAs('svc', { orderId: 'mine' });
      assert.equal(await t.state(own), 'pending');
      assert.equal(await t.hash('alice', 'note.add', { text: 'a' }), await t.hash('alice', 'note.add', { text: 'a' }));
      assert.notEqual(await t.hash('alice', 'refund.issue', BIG), await t.hash('alice', 'refund.issue', { ...BIG, amount: 501 }));
      await t.failOnce('note.add');
      assert.equal((await t.inv('alice', 'note.add', { text: 'a' })).code, 'INTERNAL');
      assert.equal((await t.inv('alice', 'note.add', { text: 'a' })).status, 200);
      assert.deepEqual([await t.attempts('note.add'), await t.eff('note.add')], [2, 1]);
      assert.deepEqual(await t.last('note.add'), { text: 'a' });
      assert.deepEqual(await t.par(4, (i) => t.call('alice', 'out.bad', { kind: i % 2 ? 'map' : 'bigint' })), {
        ok: 0,
        codes: Array(4).fill('OUTPUT_INVALID'),
      });
      assert.equal((await t.inv('alice', 'out.bad', { kind: 'circular' })).status, 200);
      assert.ok((await t.checkpoint()).seq > 3);
      await t.crashAfterEffect('note.add', { text: 'b' });
      assert.equal(await t.eff('note.add'), 2);
      await t.restart();
      assert.equal(await t.state(own), 'pending');
      assert.equal((await t.verify()).ok, true);
      await assert.rejects(t.enqueue('note.add', {}), /not built yet \\(step 5\\)/);
      await assert.rejects(t.fail('redis'), /not built yet \\(step 5\\)/);
      assert.equal(await t.get('/nowhere'), 404);
    },
  },
  { id: 'X2', title: 'fails', async run() { assert.equal(1, 2); } },
  { id: 'X3', title: 'applies elsewhere', stores: ['memory'], async run() {} },
];
`;

const LIMIT_MS = 120_000;
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'battery-cases-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function battery(...args: readonly string[]): { status: number | null; lines: string[] } {
  const { status, stdout } = spawnSync(process.execPath, ['--no-warnings', 'test/battery/run.mjs', ...args], {
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '' },
    timeout: LIMIT_MS,
  });
  return { status, lines: stdout.trim().split('\n') };
}

it(
  'runs a module of cases from anywhere and closes with the count',
  () => {
    const file = join(folder, 'cases.mjs');
    writeFileSync(file, CASES);
    const { status, lines } = battery('--store', 'postgres', '--adapter', 'fastify', '--file', file);
    expect(lines.filter((line) => /^(ok|FAIL|-) /.test(line))).toEqual([
      'ok   X1 the verbs of the driver',
      'FAIL X2 fails',
      '-    X3 applies elsewhere: does not apply to postgres on fastify',
    ]);
    expect(lines.at(-1)).toBe('1 passed, 1 failed');
    expect(status).toBe(1);
    expect(battery('--file', file, '--case', 'X3').lines.at(-1)).toBe('1 passed, 0 failed');
  },
  LIMIT_MS,
);

it('refuses a store that there is none of', () => {
  const { status, lines } = battery('--store', 'oracle');
  expect([status, lines.at(-1)]).toEqual([1, '0 passed, 1 failed']);
});

it(
  'serves the fixture to a shell: `prelude.sh` and the driver of `harness.mjs`',
  async () => {
    const home = join(folder, 'shell');
    const args = ['--no-warnings', 'test/battery/serve.mjs', '--port', '0', '--folder', home];
    const server = spawn(process.execPath, args, {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    const first = await new Promise<string>((resolve) => {
      server.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString()));
    });
    const exited = new Promise((resolve) => server.once('exit', resolve));
    const commands = [
      'id=$(ask)',
      'dec alice $id approve | tail -1',
      'dec bob $id approve | tail -1',
      `run "console.log((await t.res('alice', '$id')).status, await t.eff('refund.issue'))"`,
      'eff refund.issue',
    ];
    const shell = spawnSync('bash', ['-c', [first, ...commands].join('\n')], {
      encoding: 'utf8',
      timeout: 60_000,
    });
    server.kill('SIGTERM');
    await exited;
    expect(shell.stdout.trim().split('\n')).toEqual(['403', '200', '200 1', '1']);
    expect(readFileSync(join(home, 'audit.jsonl'), 'utf8')).toContain('"type":"decided"');
  },
  LIMIT_MS,
);
