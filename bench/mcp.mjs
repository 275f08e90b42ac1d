// Server CPU and requests per second of MCP 2026-07-28 `tools/call` and `tools/list`, beside peers and a bare echo.
// Rounds are interleaved, so that a slow moment of the machine hits every subject; every sample goes to
// bench/results. Options: --rounds 5 --seconds 1 --connections 16 --tools 10,100,1000
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { installPeers } from './mcp-peers.mjs';
import { SUBJECTS } from './mcp-subjects.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '1' },
    connections: { type: 'string', default: '16' },
    tools: { type: 'string', default: '10,100,1000' },
  },
});
const rounds = Number(values.rounds);
const milliseconds = Number(values.seconds) * 1000;
const connections = Number(values.connections);

const VERSION = '2026-07-28';
const PREFIX = 'io.modelcontextprotocol/';
const META = { [`${PREFIX}protocolVersion`]: VERSION, [`${PREFIX}clientCapabilities`]: {} };
const CALL = { name: 'bench_tool7', arguments: { customer: 'cus_1', state: 'open' } };
const REQUESTS = { 'tools/call': CALL, 'tools/list': {} };

/** Posts one message; resolves with the body. */
function post(agent, port, method, id) {
  const params = { ...REQUESTS[method], _meta: META };
  const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'content-length': Buffer.byteLength(body),
    'mcp-protocol-version': VERSION,
    'mcp-method': method,
    ...(params.name === undefined ? {} : { 'mcp-name': params.name }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, path: '/mcp', method: 'POST', agent, headers },
      (response) => {
        const chunks = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          if (response.statusCode === 200 && text.includes('"result"')) resolve(text);
          else reject(new Error(`${response.statusCode}: ${text.slice(0, 300)}`));
        });
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

async function cpuOf(child) {
  child.send('cpu');
  const [{ cpu }] = await once(child, 'message');
  return cpu.user + cpu.system;
}

/** One sample: so many connections send as fast as they are answered. */
async function sample({ child, port }, method) {
  // Connections of its own: the server has closed those that waited for the other subjects.
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const [before, start] = [await cpuOf(child), performance.now()];
  let done = 0;
  const connection = async () => {
    while (performance.now() - start < milliseconds) {
      await post(agent, port, method, done);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, connection));
  const seconds = (performance.now() - start) / 1000;
  agent.destroy();
  return { cpuMicroseconds: ((await cpuOf(child)) - before) / done, perSecond: done / seconds };
}

async function start(subject, tools) {
  const child = fork(join(import.meta.dirname, 'mcp-server.mjs'), [subject, String(tools)], {
    execArgv: ['--no-warnings'],
    env: { ...process.env, NODE_ENV: 'production', NODE_OPTIONS: '' },
  });
  const failed = once(child, 'exit').then(() => Promise.reject(new Error(`${subject} did not start.`)));
  const [{ port }] = await Promise.race([once(child, 'message'), failed]);
  failed.catch(() => undefined);
  return { child, port };
}

const median = (samples) => samples.toSorted((a, b) => a - b)[Math.floor(samples.length / 2)];

const hasPeers = installPeers();
const names = Object.keys(SUBJECTS).filter((name) => hasPeers || SUBJECTS[name].peer !== true);
const results = [];
for (const tools of values.tools.split(',').map(Number)) {
  const servers = new Map();
  for (const name of names) servers.set(name, await start(name, tools));
  for (const method of Object.keys(REQUESTS)) {
    const samples = new Map(names.map((name) => [name, []]));
    for (const server of servers.values()) await sample(server, method);
    for (let round = 0; round < rounds; round += 1) {
      for (const [name, server] of servers) samples.get(name).push(await sample(server, method));
    }
    console.log(`\n${method}, ${tools} tools`.padEnd(40), 'CPU µs/request   requests/s');
    for (const [name, list] of samples) {
      const cpu = median(list.map(({ cpuMicroseconds }) => cpuMicroseconds)).toFixed(0);
      const rate = median(list.map(({ perSecond }) => perSecond)).toFixed(0);
      console.log(`  ${name.padEnd(38)} ${cpu.padStart(12)} ${rate.padStart(12)}`);
    }
    results.push({ method, tools, samples: Object.fromEntries(samples) });
  }
  for (const { child } of servers.values()) child.disconnect();
}

const folder = join(import.meta.dirname, 'results');
mkdirSync(folder, { recursive: true });
const file = join(folder, 'mcp.json');
const machine = { node: process.version, cpu: cpus()[0]?.model ?? 'unknown', cores: cpus().length };
const settings = { rounds, milliseconds, connections };
writeFileSync(file, `${JSON.stringify({ machine, settings, results }, null, 1)}\n`);
console.log(`\nraw samples: ${file}`);
