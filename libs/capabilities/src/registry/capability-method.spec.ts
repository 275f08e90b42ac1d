import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const folder = fileURLToPath(new URL('.', import.meta.url));
const sample = `${folder}sample-of-mismatches.ts`;

const SOURCE = `
import { z } from 'zod';
import { Capability } from './capability.decorator.js';

const input = z.object({ id: z.string() });
const output = z.object({ total: z.number() });
const base = { description: 'Orders.', risk: 'low', permission: null, expose: [] } as const;

export class Sample {
  @Capability.read({ ...base, inputSchema: input })
  parameter(value: { id: number }) { return value; }

  @Capability.read({ ...base, inputSchema: input, outputSchema: output })
  returned(value: { id: string }) { return { total: value.id }; }

  @Capability.read({ ...base, inputSchema: input, args: (value) => [value.id] })
  tuple(id: number) { return id; }

  @Capability.read({ ...base, inputSchema: input })
  context(value: { id: string }, page: number) { return [value, page]; }

  @Capability.read({ ...base, inputSchema: input })
  three(value: { id: string }, ctx: unknown, page: number) { return [value, ctx, page]; }

  @Capability.read({ ...base, inputSchema: input, outputSchema: output })
  fits(value: { id: string }) { return { total: value.id.length }; }
}
`;

/** What the compiler prints, by line of the sample. */
function diagnostics(): readonly { readonly line: number; readonly text: string }[] {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    experimentalDecorators: true,
    emitDecoratorMetadata: true,
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    types: ['node'],
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (name) => name === sample || fileExists(name);
  host.readFile = (name) => (name === sample ? SOURCE : readFile(name));
  host.getSourceFile = (name, languageVersion, ...rest) =>
    name === sample
      ? ts.createSourceFile(name, SOURCE, languageVersion)
      : getSourceFile(name, languageVersion, ...rest);
  const program = ts.createProgram([sample], options, host);
  return program.getSemanticDiagnostics(program.getSourceFile(sample)).map((diagnostic) => ({
    line: ts.getLineAndCharacterOfPosition(diagnostic.file!, diagnostic.start ?? 0).line,
    text: ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n'),
  }));
}

describe('what the compiler says about a method that does not fit its declaration', () => {
  let found: ReturnType<typeof diagnostics>;
  beforeAll(() => {
    found = diagnostics();
  }, 60_000);

  const textAbove = (method: string): string => {
    const line = SOURCE.split('\n').findIndex((text) => text.trimStart().startsWith(`${method}(`));
    return found
      .filter((diagnostic) => diagnostic.line === line - 1)
      .map(({ text }) => text)
      .join('\n');
  };

  it.each([
    [
      'parameter',
      'the first parameter of the method does not accept what inputSchema produces',
      '{ id: number; }',
    ],
    ['returned', 'the return value of the method does not fit outputSchema', '{ total: string; }'],
    ['tuple', 'the parameters of the method do not accept what args returns', 'argsReturns: [string]'],
    [
      'context',
      'the second parameter of the method does not accept the handler context',
      'parameter: number',
    ],
    ['three', 'the method takes more than (input, ctx); map its parameters with args', 'page: number'],
  ])('names the mismatch of %s', (method, sentence, detail) => {
    expect(textAbove(method)).toContain(sentence);
    expect(textAbove(method)).toContain(detail);
  });

  it('says nothing about a method that fits', () => {
    expect(found).toHaveLength(5);
    expect(textAbove('fits')).toBe('');
  });
});
