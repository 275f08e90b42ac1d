import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { event } from '../testing/store-fixtures.js';
import { FileLines, JsonLinesSink } from './json-lines-sink.js';

const HOSTILE = 'x\n{"type":"approved"}\r\u0000\u0085\u2028\u2029 "quoted" \\ é 😀';

describe('the JSON-lines sink', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'capabilities-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('writes one line an event, whatever its values hold, in order', async () => {
    const path = join(folder, 'audit.jsonl');
    const lines = new FileLines(path);
    const sink = new JsonLinesSink(lines.write);
    const events = Array.from({ length: 20 }, (_, index) =>
      event('t1', 'requested', { capability: `${HOSTILE}${index}` }),
    );
    await Promise.all(events.map(async (each) => sink.write(each)));
    await lines.close();
    const text = await readFile(path, 'utf8');
    const written = text.split(/\r\n|[\n\r\u0085\u2028\u2029]/);
    expect(written.pop()).toBe('');
    expect(written.map((line) => JSON.parse(line) as unknown)).toEqual(events);
    expect((await stat(path)).mode & 0o077).toBe(0);
  });

  it('rejects when the file cannot be written, and works again afterwards', async () => {
    const path = join(folder, 'missing', 'audit.jsonl');
    const lines = new FileLines(path);
    const sink = new JsonLinesSink(lines.write);
    await expect(sink.write(event('t1', 'started'))).rejects.toThrow('ENOENT');
    await rm(folder, { recursive: true });
    await import('node:fs/promises').then(({ mkdir }) => mkdir(join(folder, 'missing'), { recursive: true }));
    await sink.write(event('t1', 'started'));
    await lines.close();
    expect((await readFile(path, 'utf8')).split('\n')).toHaveLength(2);
  });
});
