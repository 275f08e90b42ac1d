import type { SchemaAdapter } from '../kernel/schema/schema-adapter.js';
import { SchemaCompiler } from '../kernel/schema/schema-compiler.js';

/** A compiler of every schema library that is installed; class-validator is an optional peer. */
export async function createSchemaCompiler(): Promise<SchemaCompiler> {
  return new SchemaCompiler(await dtoAdapters());
}

async function dtoAdapters(): Promise<readonly SchemaAdapter[]> {
  try {
    const { DtoAdapter } = await import('../kernel/schema/dto-adapter.js');
    return [new DtoAdapter()];
  } catch (error) {
    if (isNotInstalled(error)) return [];
    throw error;
  }
}

/** Node's codes for a package that is not there, as ES module and as CommonJS. */
function isNotInstalled(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException;
  const missing = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
  return missing && /'class-(validator|transformer)/.test(message);
}
