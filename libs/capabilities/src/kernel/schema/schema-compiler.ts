import type { CompiledInput, CompiledOutput, CompiledSchema } from '../compiled-schema.js';
import type { SchemaLike } from '../standard-schema.js';
import { compileInput, compileOutput, type InputCompileOptions } from './compile-schema.js';
import { EMPTY_INPUT } from './empty-input.js';
import type { SchemaAdapter } from './schema-adapter.js';
import { SchemaConversionError } from './schema-conversion-error.js';
import { StandardAdapter } from './standard-adapter.js';
import { ZodAdapter } from './zod-adapter.js';

/**
 * Compiles schemas of any supported library. zod, nestjs-zod DTO classes and Standard Schemas are
 * built in; further libraries come as adapters, asked first.
 */
export class SchemaCompiler {
  private readonly adapters: readonly SchemaAdapter[];

  constructor(adapters: readonly SchemaAdapter[] = []) {
    this.adapters = [new ZodAdapter(), ...adapters, new StandardAdapter()];
  }

  /** Compiles an input; `undefined` is the strict empty object. Throws `SchemaConversionError`. */
  compileInput(schema: SchemaLike | undefined, options: InputCompileOptions): CompiledInput {
    if (schema === undefined) return compileInput('standard', EMPTY_INPUT, options);
    const adapter = this.adapterOf(schema);
    return compileInput(adapter.kind, adapter.adapt(schema, 'input'), options);
  }

  /** Compiles an output; a place that cannot be described becomes any JSON and is listed in `opaque`. */
  compileOutput(schema: SchemaLike): CompiledOutput {
    const adapter = this.adapterOf(schema);
    return compileOutput(adapter.kind, adapter.adapt(schema, 'output'));
  }

  /** Compiles the fields of a declared failure, as an output. */
  compileFields(schema: SchemaLike): CompiledSchema {
    return this.compileOutput(schema);
  }

  private adapterOf(schema: SchemaLike): SchemaAdapter {
    const usable = (typeof schema === 'object' && schema !== null) || typeof schema === 'function';
    const adapter = usable ? this.adapters.find((candidate) => candidate.accepts(schema)) : undefined;
    if (adapter !== undefined) return adapter;
    throw new SchemaConversionError(
      '$',
      `${typeof schema === 'function' && schema.name !== '' ? `Class ${schema.name}` : 'The value'} is not a schema`,
      'Use a zod schema, a class with class-validator decorators, a nestjs-zod DTO or a Standard Schema with a JSON Schema converter.',
    );
  }
}
