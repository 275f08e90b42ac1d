import { resolve } from 'node:path';
import { jest } from '@jest/globals';
import { execute, packLibrary, prepareConsumer } from './consumer.js';

jest.setTimeout(300_000);

const HTTP = {
  allowed: { status: 200, body: { sum: 5 } },
  refused: { status: 403 },
  invalid: { status: 400, body: { error: { field: 'x' } } },
};

describe('the packed library', () => {
  let tarball: string;

  beforeAll(async () => {
    tarball = await packLibrary();
  });

  it('holds the licence, the README and nothing but the build', async () => {
    const files = (await execute('tar', ['-tzf', tarball], '.')).trim().split('\n');
    expect(files).toEqual(
      expect.arrayContaining([
        'package/LICENSE',
        'package/README.md',
        'package/dist/index.js',
        'package/dist/cjs/index.js',
      ]),
    );
    const odd = files.filter((file) => !/^package\/(dist\/|LICENSE$|README\.md$|package\.json$)/.test(file));
    expect([odd, files.filter((file) => /\.spec\.|\.test-d\.|tsbuildinfo/.test(file))]).toEqual([[], []]);
  });

  it('is clean for publint and for attw', async () => {
    const lint = await execute(
      'node',
      ['node_modules/publint/src/cli.js', 'libs/capabilities', '--strict'],
      '.',
    );
    expect(lint).toContain('All good!');
    await execute(
      'node',
      ['node_modules/@arethetypeswrong/cli/dist/index.js', tarball, '--format', 'table-flipped'],
      '.',
    );
  });

  it('serves a guarded capability in a Nest 12 ESM application', async () => {
    const folder = await prepareConsumer('nest12-esm', tarball);
    expect(JSON.parse(await execute('node', ['dist/main.js'], folder))).toMatchObject(HTTP);
  });

  it('serves a guarded capability in a Nest 11 CommonJS application, and under its CommonJS Jest', async () => {
    const folder = await prepareConsumer('nest11-cjs', tarball);
    expect(JSON.parse(await execute('node', ['dist/main.js'], folder))).toMatchObject(HTTP);
    await execute(
      'node',
      ['node_modules/jest/bin/jest.js', '--rootDir', resolve(folder), '--forceExit=false'],
      folder,
    );
  });
});
