// Runs a program that never ends, and says so once it runs.
import { QuickJsSandbox } from '../../libs/capabilities/src/surfaces/code-mode/sandbox/quickjs-sandbox.js';

await new QuickJsSandbox().run({
  code: 'await tools.ready(); for (;;);',
  names: [],
  seed: { startedAt: 0, random: '0'.repeat(32) },
  limits: { memoryBytes: 16_777_216, cpuMs: 600_000, wallClockMs: 600_000, calls: 1, outputBytes: 0 },
  signal: new AbortController().signal,
  call: () => {
    process.stdout.write('running\n');
    return Promise.resolve({ ok: true, value: 'null', at: 0 });
  },
});
