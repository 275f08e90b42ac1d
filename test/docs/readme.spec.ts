import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import ts from 'typescript';
import { snippetsOf } from './snippets.js';

const pages = [
  'README.md',
  'libs/capabilities/README.md',
  ...readdirSync('docs').map((name) => `docs/${name}`),
  ...readdirSync('docs/guides').map((name) => `docs/guides/${name}`),
].filter((name) => name.endsWith('.md'));
const snippets = pages.flatMap(snippetsOf);

/** Compiles snippets as files at the root of the workspace, against the tree. */
function compile(codes: readonly string[]): string[] {
  const { config } = ts.readConfigFile('tsconfig.json', (path) => readFileSync(path, 'utf8')) as {
    config: object;
  };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, '.');
  const files = new Map(codes.map((code, index) => [resolve(`snippet-${index}.mts`), code]));
  const host = ts.createCompilerHost({ ...options, noUnusedLocals: false });
  const readFile = host.readFile.bind(host);
  const fileExists = host.fileExists.bind(host);
  const getSourceFile = host.getSourceFile.bind(host);
  host.readFile = (name) => files.get(name) ?? readFile(name);
  host.fileExists = (name) => files.has(name) || fileExists(name);
  host.getSourceFile = (name, version) => {
    const code = files.get(name);
    return code === undefined ? getSourceFile(name, version) : ts.createSourceFile(name, code, version, true);
  };
  const program = ts.createProgram([...files.keys()], { ...options, noUnusedLocals: false }, host);
  return [...files.keys()].flatMap((name) =>
    ts
      .getPreEmitDiagnostics(program, program.getSourceFile(name))
      .map((problem) => `${name}: ${ts.flattenDiagnosticMessageText(problem.messageText, ' ')}`),
  );
}

describe('the documentation', () => {
  it('has TypeScript snippets that compile, and a wrong one would not', () => {
    const complete = snippets.filter(({ language, code }) => language === 'ts' && code.includes('import '));
    expect(complete.length).toBeGreaterThan(5);
    const wrong = "import { NoSuchThing } from 'nest-capabilities'; NoSuchThing();";
    const problems = compile([...complete.map(({ code }) => code), wrong]);
    expect(problems).toEqual([expect.stringContaining('NoSuchThing')]);
  }, 90_000);

  it('shows only commands that exist', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      scripts: Record<string, string>;
    };
    const shell = snippets.filter(({ language }) => language === 'sh').map(({ code }) => code);
    const named = shell.flatMap((code) =>
      [...code.matchAll(/npm run (\S+)/g)].map((match) => match[1] ?? ''),
    );
    expect(named).toEqual(expect.arrayContaining(['demo', 'verify']));
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
  });

  it('has no dead link', () => {
    const dead = pages.flatMap((page) =>
      [...readFileSync(page, 'utf8').matchAll(/\]\((?!https?:)([^)#]+)/g)]
        .map((match) => join(dirname(page), match[1] ?? ''))
        .filter((target) => !existsSync(target)),
    );
    expect(dead).toEqual([]);
  });

  it('keeps the README within 120 lines, with code in the first screen', () => {
    const lines = readFileSync('README.md', 'utf8').split('\n');
    expect(lines.length).toBeLessThanOrEqual(120);
    expect(lines.slice(0, 5)).toContain('```ts');
  });
});
