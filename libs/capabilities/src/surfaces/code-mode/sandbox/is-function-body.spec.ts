import { isFunctionBody } from './is-function-body.js';

it.each([
  '',
  'return 1 // end',
  'return await tools.x()',
  'for await (const x of y) {}',
  '/* open */ return 1',
  'const tools = 1; return tools',
  '"use strict"; return 1',
])('%j is a body', (code) => expect(isFunctionBody(code)).toBe(true));

it.each([
  '}',
  '} {',
  '}); (() => {',
  'return 1; } async function x() {',
  '/* open',
  '`open',
  'import x from "x"',
  'export const x = 1',
  'with (x) {}',
  'let x: number = 1',
  '<x/>',
  '('.repeat(100_000),
])('%j is none', (code) => expect(isFunctionBody(code)).toBe(false));

it('runs nothing', () => {
  const marked = globalThis as { ran?: true };
  expect(isFunctionBody('globalThis.ran = true')).toBe(true);
  expect(marked.ran).toBeUndefined();
});
