import { createHash } from 'node:crypto';
import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const HERE = resolve('test/packaging');
/** Outside the workspace, so that nothing is found in the workspace's own node_modules. */
const CACHE = join(tmpdir(), `nest-capabilities-packaging-${process.getuid?.() ?? 'user'}`);
const LIBRARY = resolve('libs/capabilities');

/** Runs a program to its end and gives its standard output; a failure carries both outputs. */
export async function execute(program: string, args: readonly string[], cwd: string): Promise<string> {
  try {
    const { stdout } = await run(program, args, {
      cwd,
      timeout: 240_000,
      maxBuffer: 16 << 20,
      env: { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1', npm_config_update_notifier: 'false' },
    });
    return stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${program} ${args.join(' ')} failed:\n${stdout}\n${stderr}`, { cause: error });
  }
}

/** Packs the built library and gives the path of the tarball. */
export async function packLibrary(): Promise<string> {
  if (!existsSync(join(LIBRARY, 'dist/cjs/package.json'))) {
    throw new Error('The library is not built: run `npm run build:lib` first.');
  }
  await mkdir(CACHE, { recursive: true });
  const report = await execute(
    'npm',
    ['pack', '--json', '--ignore-scripts', '--pack-destination', CACHE],
    LIBRARY,
  );
  const [packed] = JSON.parse(report) as [{ filename: string }];
  return join(CACHE, packed.filename);
}

/**
 * Sets up an application outside the workspace with the tarball installed, and compiles it. What it installs from
 * the registry is kept for the next run as long as its package.json stays the same.
 */
export async function prepareConsumer(name: string, tarball: string): Promise<string> {
  const manifest = await readFile(join(HERE, 'consumers', name, 'package.json'));
  const folder = join(CACHE, `${name}-${createHash('sha256').update(manifest).digest('hex').slice(0, 12)}`);
  const installed = join(folder, '.installed');
  if (!existsSync(installed)) {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    await cp(join(HERE, 'consumers', name), folder, { recursive: true });
    await execute(
      'npm',
      ['install', '--no-package-lock', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'],
      folder,
    );
    await writeFile(installed, '');
  }
  await rm(join(folder, 'node_modules/nest-capabilities'), { recursive: true, force: true });
  await execute(
    'npm',
    [
      'install',
      '--no-save',
      '--no-package-lock',
      '--prefer-offline',
      '--no-audit',
      '--ignore-scripts',
      tarball,
    ],
    folder,
  );
  await compile(name, folder);
  return folder;
}

async function compile(name: string, folder: string): Promise<void> {
  await rm(join(folder, 'dist'), { recursive: true, force: true });
  await rm(join(folder, 'src'), { recursive: true, force: true });
  await cp(join(HERE, 'consumers/source'), join(folder, 'src'), { recursive: true });
  const test = join(HERE, 'consumers', name, 'app.test.ts');
  if (existsSync(test)) await cp(test, join(folder, 'src/app.test.ts'));
  await cp(join(HERE, 'consumers', name, 'tsconfig.json'), join(folder, 'tsconfig.json'));
  await execute('node', ['node_modules/typescript/bin/tsc', '-p', '.'], folder);
}
