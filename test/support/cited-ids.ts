import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const ID = /\b(?:[PB]\d{2}|SI-\d{2})\b/g;
const TITLED = /^(?:describe|it|test|suiteWith)\b(?!.*\.(?:skip|todo)\b)/s;

/** Every TypeScript file below a folder, tests and their tables. */
export function typeScriptFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/(^|\/)(node_modules|dist|consumers)\//.test(name))
    .map((name) => join(folder, name));
}

function textOf(node: ts.Node): string {
  if (ts.isStringLiteralLike(node)) return node.text;
  return ts.isTemplateExpression(node) ? node.getText() : '';
}

/** Ids in the titles of a file that can fail (nothing skipped): arguments of `describe`, `it` and `each` tables, and `id` or `title` of case tables. */
export function citedIds(path: string): string[] {
  const cited: string[] = [];
  const cite = (node: ts.Node): void => {
    cited.push(...(textOf(node).match(ID) ?? []));
  };
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && TITLED.test(node.expression.getText())) node.arguments.forEach(cite);
    if (ts.isPropertyAssignment(node) && /^(id|title)$/.test(node.name.getText())) cite(node.initializer);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.ES2022, true));
  return cited;
}
