import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import { type AdapterName, startFixture } from './fixture/fixture-app.js';
import { complaints, runScript } from './support/run-script.js';

const SUITE_MS = 180_000;

/** The official suite and the probes, against a server that is declared only with the library's decorators. */
describe.each<{ adapter: AdapterName; prefix?: string }>([
  { adapter: 'express' },
  { adapter: 'fastify' },
  { adapter: 'express', prefix: 'api/v1' },
])('MCP conformance on $adapter with prefix $prefix', (server) => {
  let app: INestApplication;
  let url: string;

  beforeAll(async () => {
    ({ app, url } = await startFixture({ ...server, port: 0 }));
  });
  afterAll(() => app.close());

  it(
    'passes every scenario of both revisions, scored or not',
    async () => {
      const results = await mkdtemp(join(tmpdir(), 'mcp-conformance-'));
      const run = await runScript('run-conformance.sh', [url, results]);
      await rm(results, { recursive: true, force: true });

      expect(complaints(run)).toEqual([]);
      expect(run.output).toContain('2025-11-25: SCORED 30/30');
      expect(run.output).toContain('not scored: 3/3');
      expect(run.output).toContain('2026-07-28: SCORED 37/37');
      expect(run.output).toContain('not scored: 13/13');
      expect(run.code).toBe(0);
    },
    SUITE_MS,
  );

  it('answers every probe as the specification demands', async () => {
    const run = await runScript('probe-matrix.mjs', [url]);

    expect(complaints(run)).toEqual([]);
    expect(run.output).toContain('MUST: 42 ok, 0 failed | SHOULD: 9 ok, 0 failed | SDK: 6 ok, 0 failed');
    expect(run.code).toBe(0);
  }, 30_000);
});
