// Code mode: what a program costs to start, what a call inside costs, and how many tokens a catalogue takes.
// Every sample goes to bench/results. Options: --programs 60 --calls 100
import 'reflect-metadata';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  Capability,
  CapabilitiesModule,
  CapabilityHost,
  CapabilityRunner,
  completePrincipal,
  SURFACES,
} from 'nest-capabilities';
import { CodeMode, CodeModeModule } from 'nest-capabilities/code-mode';
import { SHAPES } from './subjects.mjs';

const { values } = parseArgs({
  options: { programs: { type: 'string', default: '60' }, calls: { type: 'string', default: '100' } },
});
const programs = Number(values.programs);
const calls = Number(values.calls);
const principal = { id: 'u1', kind: 'user', user: null };

/** A host with `size` capabilities in ten namespaces, one in two with a large input. */
function hostOf(size) {
  class Host {}
  const shapes = Object.values(SHAPES);
  for (let index = 0; index < size; index += 1) {
    const key = `run${index}`;
    Host.prototype[key] = (input) => ({ id: input.id });
    const { schema } = shapes[index % shapes.length];
    Capability.read({
      name: `area${index % 10}.operation${index}`,
      description: `Performs the operation number ${index} on one object and returns its id.`,
      inputSchema: schema,
      outputSchema: shapes[0].schema,
    })(Host.prototype, key, Object.getOwnPropertyDescriptor(Host.prototype, key));
  }
  CapabilityHost({ expose: SURFACES, permission: null, risk: 'low' })(Host);
  return Host;
}

const WIDE = { calls: 10_000, wallClockMs: 120_000, cpuMs: 60_000 };

async function start(size, limits = WIDE) {
  class App {}
  Module({
    imports: [
      CapabilitiesModule.forRoot({}),
      CodeModeModule.forRoot({
        expose: ['direct'],
        permission: null,
        limits,
      }),
    ],
    providers: [hostOf(size)],
  })(App);
  const app = await NestFactory.createApplicationContext(App, { logger: ['error'] });
  return { app, runner: app.get(CapabilityRunner), codeMode: app.get(CodeMode) };
}

const median = (samples) => samples.toSorted((a, b) => a - b)[Math.floor(samples.length / 2)];

async function timed(work) {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

async function repeated(times, work) {
  const samples = [];
  for (let index = 0; index < times; index += 1) samples.push(await timed(work));
  return samples;
}

const { app, runner, codeMode } = await start(10);
const complete = completePrincipal(principal);
let serial = 0;
const run = async (code) => {
  // Programs differ, as a model's do.
  const options = { principal: complete, signal: new AbortController().signal, correlationId: 'bench' };
  const { diagnostic } = await codeMode.run(`${code} // ${(serial += 1)}`, options);
  if (diagnostic !== null) throw new Error(diagnostic.message);
};
const one = "await tools['area0.operation0']({ id: 'o1' })";

const samples = {
  'first program of the process': [await timed(() => run('return 1'))],
  'program without calls': await repeated(programs, () => run('return 1')),
  [`program with ${calls} calls, one after the other`]: await repeated(10, () =>
    run(`for (let n = 0; n < ${calls}; n++) ${one}`),
  ),
  [`program with ${calls} calls at once`]: await repeated(10, () =>
    run(`await Promise.all(Array.from({ length: ${calls} }, () => ${one.replace('await ', '')}))`),
  ),
  [`${calls} direct calls of the runner`]: await repeated(10, async () => {
    for (let n = 0; n < calls; n += 1) await runner.call('area0.operation0', { id: 'o1' }, { principal });
  }),
  'program of 30 kB': await repeated(20, () =>
    run(`${'const x = { a: [1, 2, 3], b: () => 4 };\n{'.repeat(680)}${'}'.repeat(680)}`),
  ),
};
await app.close();

// What a healthy program of ten calls takes alone, and while a hostile one runs beside it.
const HOSTILE = {
  'an endless loop': 'for (;;);',
  'an endless loop after an await': "await tools['area0.operation0']({ id: 'o1' }); for (;;);",
  'an endless microtask': 'await Promise.resolve().then(() => { for (;;); })',
  'a heap bomb': 'const all = []; for (;;) all.push(new Array(1000).fill(all.length))',
  'a typed array bomb': 'const all = []; for (;;) all.push(new Uint8Array(1 << 20).fill(1))',
};
const MIB = 1024 * 1024;
const tight = await start(10, { cpuMs: 3_000, wallClockMs: 20_000, memoryBytes: 16 * MIB });
const program = (code) =>
  tight.codeMode.run(`${code} // ${(serial += 1)}`, {
    principal: complete,
    signal: new AbortController().signal,
    correlationId: 'bench',
  });
const healthy = async () => {
  const { diagnostic } = await program(`for (let n = 0; n < 10; n++) ${one}`);
  if (diagnostic !== null) throw new Error(diagnostic.message);
};
await repeated(5, healthy);
samples['healthy program of 10 calls, alone'] = await repeated(30, healthy);
let growth = 0;
for (const [name, code] of Object.entries(HOSTILE)) {
  const beside = [];
  const before = process.memoryUsage.rss();
  for (let round = 0; round < 10; round += 1) {
    const hostile = program(code);
    beside.push(await timed(healthy));
    growth = Math.max(growth, process.memoryUsage.rss() - before);
    if ((await hostile).diagnostic === null) throw new Error(`${name} was not stopped`);
  }
  samples[`healthy program beside ${name}`] = beside;
}
console.log(`parent grew by at most ${(growth / MIB).toFixed(0)} MiB beside hostile programs`);
await tight.app.close();

const tokens = [];
for (const size of [10, 100, 1_000]) {
  const { app: sized, codeMode: catalogue } = await start(size);
  const overview = await catalogue.overview(complete);
  const declarations = await catalogue.declarations(complete);
  const search = await timed(() => catalogue.search(complete, { query: 'operation 7' }));
  tokens.push({
    capabilities: size,
    overview: Math.round(overview.length / 4),
    shown: (overview.match(/^ {3}\* Performs/gm) ?? []).length,
    declarations: Math.round(declarations.length / 4),
    searchMs: Number(search.toFixed(2)),
  });
  await sized.close();
}

const perCall = (name) => median(samples[name]) / calls;
const bare = median(samples['program without calls']);
console.log('milliseconds, median');
for (const [name, list] of Object.entries(samples))
  console.log(`  ${name.padEnd(46)} ${median(list).toFixed(2).padStart(9)}`);
console.log(
  `  ${'one call inside, one after the other'.padEnd(46)} ${((median(samples[`program with ${calls} calls, one after the other`]) - bare) / calls).toFixed(3).padStart(9)}`,
);
console.log(
  `  ${'one call inside, at once'.padEnd(46)} ${((median(samples[`program with ${calls} calls at once`]) - bare) / calls).toFixed(3).padStart(9)}`,
);
console.log(
  `  ${'one direct call'.padEnd(46)} ${perCall(`${calls} direct calls of the runner`).toFixed(3).padStart(9)}`,
);
console.log('\nestimated tokens, default budget');
console.table(tokens);

const folder = join(import.meta.dirname, 'results');
mkdirSync(folder, { recursive: true });
const machine = { node: process.version, cpu: cpus()[0]?.model ?? 'unknown', cores: cpus().length };
writeFileSync(
  join(folder, 'code-mode.json'),
  `${JSON.stringify({ machine, programs, calls, samples, tokens }, null, 1)}\n`,
);
process.exit(0);
