// The packages that only this benchmark needs, in a folder of their own: the workspace does not depend on them.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const FOLDER = join(import.meta.dirname, '../.tmp/bench-mcp');
const PACKAGES = [
  '@rekog/mcp-nest@2.0.5',
  '@modelcontextprotocol/server@2.4.0',
  '@modelcontextprotocol/core@2.4.0',
  '@modelcontextprotocol/node@2.1.2',
  '@nestjs/common@12.5.1',
  '@nestjs/core@12.5.1',
  '@nestjs/microservices@12.1.1',
  '@nestjs/platform-express@12.5.1',
  'express@5.1.0',
  'reflect-metadata@0.2.2',
  'rxjs@7.8.2',
  'zod@4.4.3',
];
const MARK = join(FOLDER, 'installed.json');

/** Installs the peers once; false, with a printed line, where the registry cannot be reached. */
export function installPeers() {
  const wanted = JSON.stringify(PACKAGES);
  if (existsSync(MARK) && readFileSync(MARK, 'utf8') === wanted) return true;
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, 'package.json'), '{ "private": true }\n');
  const quiet = ['--no-save', '--no-audit', '--no-fund', '--legacy-peer-deps', '--loglevel=error'];
  try {
    execFileSync('npm', ['install', ...quiet, '--prefix', FOLDER, ...PACKAGES], { stdio: 'inherit' });
  } catch {
    console.error('LEFT OUT: the peers cannot be installed.');
    return false;
  }
  writeFileSync(MARK, wanted);
  return true;
}

/** Imports a package from the folder of the peers. */
export async function peer(specifier) {
  const require = createRequire(join(FOLDER, 'package.json'));
  const loaded = await import(pathToFileURL(require.resolve(specifier)).href);
  return loaded.default === undefined ? loaded : { ...loaded.default, ...loaded };
}
