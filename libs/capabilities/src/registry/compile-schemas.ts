import type { CapabilityOptions } from '../contract/capability-options.js';
import type { Report } from '../contract/option-rule.js';
import { isSchemaLike, parameterSchema } from '../contract/parameter-schema.js';
import type { CompiledInput, CompiledOutput } from '../kernel/compiled-schema.js';
import { isRecord } from '../kernel/json.js';
import type { SchemaCompiler } from '../kernel/schema/schema-compiler.js';
import { SchemaConversionError } from '../kernel/schema/schema-conversion-error.js';
import type { CapabilityDeclaration } from './capability-declaration.js';
import type { CompiledFailure } from './capability-definition.js';

const DEFAULT_FAILURE_STATUS = 422;

/** The compiled schemas of one declaration; what could not be compiled was reported and is undefined. */
export interface CompiledSchemas {
  readonly input: CompiledInput | undefined;
  readonly output: CompiledOutput | undefined;
  readonly failures: ReadonlyMap<string, CompiledFailure>;
}

/** Compiles every schema of a declaration once and reports the ones that cannot be converted. */
export function compileSchemas(
  declaration: CapabilityDeclaration,
  compiler: SchemaCompiler,
  report: Report,
): CompiledSchemas {
  const { outputSchema } = declaration.options;
  return {
    input: compileInput(declaration, compiler, report),
    output: isSchemaLike(outputSchema)
      ? attempt('outputSchema', () => compiler.compileOutput(outputSchema), report)
      : undefined,
    failures: compileFailures(declaration.options, compiler, report),
  };
}

/** What is no schema at all was reported by the declaration's check, and stays undefined here and below. */
function compileInput(
  { options, paramTypes, paramCount }: CapabilityDeclaration,
  compiler: SchemaCompiler,
  report: Report,
): CompiledInput | undefined {
  const { inputSchema, args, unknownKeys = 'refuse', mcp } = options;
  const compile = { unknownKeys, rootCombinators: mcp?.rootCombinators === true };
  if (inputSchema !== undefined) {
    if (!isSchemaLike(inputSchema)) return undefined;
    return attempt('inputSchema', () => compiler.compileInput(inputSchema, compile), report);
  }
  if (args !== undefined) return undefined;
  const parameter = parameterSchema(paramTypes, paramCount);
  if ('schema' in parameter) {
    return attempt('the first parameter', () => compiler.compileInput(parameter.schema, compile), report);
  }
  report('INPUT_ERASED', parameter.problem, parameter.remedy);
  return undefined;
}

function compileFailures(
  { failures }: CapabilityOptions,
  compiler: SchemaCompiler,
  report: Report,
): ReadonlyMap<string, CompiledFailure> {
  const compiled = new Map<string, CompiledFailure>();
  if (!isRecord(failures)) return compiled;
  for (const [tag, failure] of Object.entries(failures)) {
    if (!isSchemaLike(failure?.schema)) continue;
    const schema = attempt(`failures.${tag}.schema`, () => compiler.compileFields(failure.schema), report);
    if (schema === undefined) continue;
    const { fix, status = DEFAULT_FAILURE_STATUS, code = 'CONFLICT', retryable = false } = failure;
    compiled.set(tag, Object.freeze({ tag, schema, fix, status, code, retryable }));
  }
  return compiled;
}

function attempt<T>(option: string, compile: () => T, report: Report): T | undefined {
  try {
    return compile();
  } catch (error) {
    if (error instanceof SchemaConversionError) {
      report('SCHEMA_UNCONVERTIBLE', `${option} at ${error.path}: ${error.problem}`, error.remedy);
    } else {
      const reason = error instanceof Error ? error.message : String(error);
      const remedy = 'Use a schema that can be converted to JSON Schema';
      report('SCHEMA_UNCONVERTIBLE', `${option} cannot be compiled: ${reason}`, remedy);
    }
    return undefined;
  }
}
