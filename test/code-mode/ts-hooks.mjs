// Lets a plain Node process run the library's sources: `.js` stands for `.ts`, types are removed.
import { register } from 'node:module';

const hooks = `
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@swc/core';

export function resolve(specifier, context, next) {
  if (!/^\\.{1,2}\\//.test(specifier) || !specifier.endsWith('.js')) return next(specifier, context);
  const source = new URL(specifier.replace(/\\.js$/, '.ts'), context.parentURL);
  return next(existsSync(source) ? source.href : specifier, context);
}

export function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const { code } = transformSync(readFileSync(fileURLToPath(url), 'utf8'), {
    jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
    module: { type: 'es6' },
  });
  return { format: 'module', source: code, shortCircuit: true };
}
`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`, import.meta.url);
