// In-process cost of one call. Rounds are interleaved, so that a slow moment of the machine hits every subject;
// every sample goes to bench/results. Options: --rounds 40 --calls 2000
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { prepareSubjects } from './subjects.mjs';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '40' }, calls: { type: 'string', default: '2000' } },
});
const rounds = Number(values.rounds);
const calls = Number(values.calls);

/** Microseconds per call over `calls` sequential calls. */
async function sample(call) {
  const start = process.hrtime.bigint();
  for (let index = 0; index < calls; index += 1) await call();
  return Number(process.hrtime.bigint() - start) / 1000 / calls;
}

const median = (samples) => samples.toSorted((a, b) => a - b)[Math.floor(samples.length / 2)];

const { subjects, close } = await prepareSubjects();
const results = [];
for (const { shape, calls: byName } of subjects) {
  const samples = Object.fromEntries(Object.keys(byName).map((name) => [name, []]));
  for (const call of Object.values(byName)) await sample(call);
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, call] of Object.entries(byName)) samples[name].push(await sample(call));
  }
  results.push({ shape, unit: 'microseconds per call', samples });
  console.log(`\n${shape}`);
  for (const [name, list] of Object.entries(samples)) {
    console.log(`  ${name.padEnd(26)} ${median(list).toFixed(2).padStart(8)} µs`);
  }
}
await close();

const folder = join(import.meta.dirname, 'results');
mkdirSync(folder, { recursive: true });
const file = join(folder, 'in-process.json');
const machine = { node: process.version, cpu: cpus()[0]?.model ?? 'unknown', cores: cpus().length };
writeFileSync(file, `${JSON.stringify({ machine, rounds, calls, results }, null, 1)}\n`);
console.log(`\nraw samples: ${file}`);
