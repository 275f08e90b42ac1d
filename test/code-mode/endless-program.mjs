// Runs a program that never ends, and says so once it runs.
import { register } from 'node:module';

register('../mcp/fixture/typescript-loader.mjs', import.meta.url);
const { QuickJsSandbox } = await import('nest-capabilities/code-mode');

await new QuickJsSandbox().run({
  code: 'await tools.ready(); for (;;) await null;',
  names: [],
  seed: { startedAt: 0, random: '0'.repeat(32) },
  limits: { memoryBytes: 16_777_216, cpuMs: 600_000, wallClockMs: 600_000, calls: 1, outputBytes: 0 },
  signal: new AbortController().signal,
  call: () => {
    process.stdout.write('running\n');
    return Promise.resolve({ ok: true, value: 'null', at: 0 });
  },
});
