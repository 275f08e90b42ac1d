import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ADAPTERS } from '../../src/http-app.js';
import { RunningDesk } from '../demo/running-desk.js';
import { snippetsOf } from './snippets.js';

const GUIDE = 'docs/guides/approvals.md';
const END = '--end of snippet--';
const run = promisify(execFile);

const snippets = snippetsOf(GUIDE);
const commands = snippets.filter(({ language }) => language === 'sh').map(({ code }) => code);
const replies = snippets.filter(({ language }) => language === 'json').map(({ code }) => code);

/** A reply as JSON, with whatever differs from run to run named alike. */
const comparable = (text: string): unknown =>
  JSON.parse(
    text
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g, 'ID')
      .replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"TIME"')
      .replaceAll(/"[0-9a-f]{32}"/g, '"EXECUTION"'),
  );

describe.each(ADAPTERS)('the approvals guide on %s', (adapter) => {
  it('shows commands that answer what it says', async () => {
    const desk = await RunningDesk.start(adapter);
    try {
      const script = commands.map((code) => `${code}\necho; echo '${END}'`).join('\n');
      const env = { ...process.env, DESK: desk.url, MIA: desk.token('mia'), MAX: desk.token('max') };
      const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], { env });
      const answers = stdout.split(END).slice(0, -1);
      expect(answers.map(comparable)).toEqual(replies.map(comparable));
      expect(answers).toHaveLength(6);
    } finally {
      await desk.close();
    }
  }, 30_000);
});
