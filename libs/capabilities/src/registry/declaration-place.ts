import type { CapabilityOptions } from '../contract/capability-options.js';
import type { DeclarationPlace } from '../contract/declaration-problem.js';
import type { CapabilityDeclaration } from './capability-declaration.js';

/** How a declaration is named in messages. */
export function declarationPlace({
  options,
  source,
}: Pick<CapabilityDeclaration, 'options' | 'source'>): DeclarationPlace {
  const { className, methodName } = source;
  const name: unknown = (options as Partial<CapabilityOptions> | null | undefined)?.name;
  return {
    capability: typeof name === 'string' && name !== '' ? name : `${className}.${methodName}`,
    className,
    methodName,
  };
}
