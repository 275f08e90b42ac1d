import type { InheritableOptions } from '../contract/capability-options.js';
import type { DeclarationPlace, DeclarationProblem } from '../contract/declaration-problem.js';
import type { SchemaCompiler } from '../kernel/schema/schema-compiler.js';
import { buildDefinition } from './build-definition.js';
import { type CapabilityDeclaration, mergeDeclaration } from './capability-declaration.js';
import type { CapabilityDefinition } from './capability-definition.js';
import {
  type CapabilityMark,
  capabilityMethods,
  hostOptions,
  type MarkedMethod,
} from './capability-metadata.js';
import { declarationPlace } from './declaration-place.js';
import { NestCapabilityHandler } from './nest-handler/nest-capability-handler.js';
import type { ScannedHost } from './scan-hosts.js';

/** One capability of one host, built once and kept. */
export interface DeclaredCapability {
  readonly place: DeclarationPlace;
  /** As declared, inheritance applied. */
  readonly entry: CapabilityDeclaration;
  readonly key: string | symbol;
  readonly mark: CapabilityMark;
  readonly handler: NestCapabilityHandler;
  /** Undefined when the declaration has problems. */
  readonly definition: CapabilityDefinition | undefined;
  readonly problems: readonly DeclarationProblem[];
}

export interface DeclareOptions {
  readonly compiler: SchemaCompiler;
  readonly defaults: InheritableOptions | undefined;
}

/** Builds every capability of a host class. */
export function declareHost(host: ScannedHost, options: DeclareOptions): readonly DeclaredCapability[] {
  return capabilityMethods(host.hostClass).flatMap((method) =>
    method.marks.map((mark) => declare(host, method, mark, options)),
  );
}

function declare(
  { hostClass, moduleRef }: ScannedHost,
  { key, paramTypes, paramCount }: MarkedMethod,
  mark: CapabilityMark,
  { compiler, defaults }: DeclareOptions,
): DeclaredCapability {
  const source = { className: hostClass.name, methodName: String(key), moduleName: moduleRef.name };
  const options = mergeDeclaration(mark.options, hostOptions(hostClass), defaults, source.methodName);
  const handler = new NestCapabilityHandler();
  const entry = { options, source, paramTypes, paramCount };
  return {
    place: declarationPlace(entry),
    entry,
    key,
    mark,
    handler,
    ...buildDefinition(entry, { compiler, handler }),
  };
}
