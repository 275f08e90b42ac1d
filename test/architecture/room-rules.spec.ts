import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const CRUISER = resolve('node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
const LIB = 'libs/capabilities/src';

/** What the rules must refuse: the rule, the importing file and what it imports. */
const PLANTED: readonly (readonly [title: string, rule: string, from: string, specifier: string])[] = [
  ['a room above', 'room-kernel', `${LIB}/kernel/a.ts`, '../errors/target.js'],
  ['a type of a room above', 'room-errors', `${LIB}/errors/a.ts`, '../contract/target.js'],
  ['a surface from a store', 'room-stores', `${LIB}/stores/memory/a.ts`, '../../surfaces/rest/index.js'],
  ['a policy from a surface', 'room-surfaces', `${LIB}/surfaces/rest/a.ts`, '../../policies/target.js'],
  ['another surface', 'surface-not-surface', `${LIB}/surfaces/rest/b.ts`, '../mcp/target.js'],
  ['a surface from the root', 'root-entry', `${LIB}/index.ts`, './surfaces/mcp/target.js'],
  [
    'a room past its entry point',
    'entry-points-only',
    'test/a.ts',
    '../libs/capabilities/src/kernel/target.js',
  ],
  ['Nest in the pipeline', 'nest-only-at-the-edge', `${LIB}/execution/a.ts`, '@nestjs/common'],
  ['Nest behind ./runtime', 'framework-free-runtime', `${LIB}/runtime/a.ts`, '../registry/nest.js'],
  ['a DTO library behind ./contract', 'browser-safe-contract', `${LIB}/contract/a.ts`, '../kernel/dto.js'],
  ['a Node built-in in ./contract', 'browser-safe-contract-core', `${LIB}/contract/b.ts`, 'node:crypto'],
  ['a driver in the core', 'no-driver-in-the-core', `${LIB}/stores/memory/b.ts`, 'pg'],
  ['a barrel inside a room', 'no-barrels-inside', `${LIB}/module/a.ts`, '../contract/index.js'],
  ['a cycle', 'no-cycles', `${LIB}/kernel/cycle-back.ts`, './cycle.js'],
];

const TARGETS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      'errors/target',
      'contract/target',
      'contract/index',
      'kernel/target',
      'policies/target',
      'surfaces/mcp/target',
    ].map((name) => [`${LIB}/${name}.ts`, 'export const x = 1;\n']),
  ),
  [`${LIB}/surfaces/rest/index.ts`]: "import '../../execution/fine.js';\n",
  [`${LIB}/execution/fine.ts`]: "import '../kernel/target.js';\n",
  [`${LIB}/registry/nest.ts`]: "import '@nestjs/common';\n",
  [`${LIB}/kernel/dto.ts`]: "import 'class-validator';\n",
  [`${LIB}/kernel/cycle.ts`]: "import './cycle-back.js';\n",
  'test/fine.ts': "import '../libs/capabilities/src/surfaces/rest/index.js';\n",
  'node_modules/@nestjs/common/index.js': '',
  'node_modules/class-validator/index.js': '',
  'node_modules/pg/index.js': '',
  'tsconfig.json': '{"compilerOptions":{"module":"nodenext"}}',
};

interface Report {
  readonly summary: {
    readonly violations: readonly { readonly from: string; readonly rule: { readonly name: string } }[];
  };
}

describe('the room rules', () => {
  let folder: string;
  let broken: readonly string[];

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'room-rules-'));
    const planted = PLANTED.map(([title, , from, specifier]) => [
      from,
      title.startsWith('a type')
        ? `export type X = typeof import('${specifier}').x;`
        : `import '${specifier}';`,
    ]);
    for (const [path, text] of Object.entries({
      ...TARGETS,
      ...(Object.fromEntries(planted) as typeof TARGETS),
    })) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    cpSync('.dependency-cruiser.cjs', join(folder, '.dependency-cruiser.cjs'));
    const args = [CRUISER, '--config', '.dependency-cruiser.cjs', '--output-type', 'json', LIB, 'test'];
    const report = JSON.parse(
      execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' }),
    ) as Report;
    broken = report.summary.violations.map(({ from, rule }) => `${rule.name} ${from}`);
  }, 30_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(PLANTED)('refuse %s', (_title, rule, from) => {
    expect(broken).toContain(`${rule} ${from}`);
  });

  it('let the listed rooms and the entry points be imported', () => {
    expect(
      broken.filter((line) => line.includes('fine.ts') || line.endsWith('surfaces/rest/index.ts')),
    ).toEqual([]);
  });
});
