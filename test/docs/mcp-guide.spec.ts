import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ADAPTERS } from '../../src/http-app.js';
import { RunningDesk } from '../demo/running-desk.js';
import { snippetsOf } from './snippets.js';

const END = '--end of snippet--';
const run = promisify(execFile);

const snippets = snippetsOf('docs/guides/mcp.md');
const commands = snippets.filter(({ language }) => language === 'sh').map(({ code }) => code);
const replies = snippets
  .filter(({ language, code }) => language === 'text' && !code.startsWith('export '))
  .map(({ code }) => code.trim());

describe.each(ADAPTERS)('the MCP guide on %s', (adapter) => {
  it('shows commands that print what it says', async () => {
    const desk = await RunningDesk.start(adapter);
    try {
      const script = commands.map((code) => `${code}\necho '${END}'`).join('\n');
      const env = { ...process.env, DESK: desk.url, MIA: desk.token('mia'), BOT: desk.token('bot') };
      const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], { env });
      const printed = stdout.split(END).slice(0, -1);
      expect(printed.map((text) => text.trim())).toEqual(replies);
      expect(printed).toHaveLength(3);
    } finally {
      await desk.close();
    }
  }, 30_000);
});
