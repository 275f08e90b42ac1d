import type { CapabilityFields, CapabilityOptions, SideEffect } from '../contract/capability-options.js';
import type { AnyContract } from '../contract/contract.js';
import { type ContractBinding, contractOptions, isContract } from '../contract/contract-options.js';
import type { SchemaLike } from '../kernel/standard-schema.js';
import { type CapabilityMark, markCapability } from './capability-metadata.js';
import type { CapabilityMethodDecorator, NoArgs } from './capability-method.js';

type Schema = SchemaLike | undefined;
type Tuple = readonly unknown[] | [];

/** `@Capability.read()` and its like: the side effect is in the name. */
type ShortForm = <I extends Schema = undefined, O extends Schema = undefined, A extends Tuple = NoArgs>(
  options: CapabilityFields<I, O, A>,
) => CapabilityMethodDecorator<I, O, A>;

interface CapabilityDecorator {
  /** Serves the method of a contract; `binding` adds what the server decides (exposure, permission, risk, bounds). */
  <C extends AnyContract>(
    contract: C,
    binding?: ContractBinding,
  ): CapabilityMethodDecorator<C['inputSchema'], C['outputSchema'], NoArgs>;
  /** Serves the method as declared. */
  <I extends Schema = undefined, O extends Schema = undefined, A extends Tuple = NoArgs>(
    options: CapabilityOptions<I, O, A>,
  ): CapabilityMethodDecorator<I, O, A>;
  /** A capability that only reads. */
  readonly read: ShortForm;
  /** A capability that changes something. */
  readonly write: ShortForm;
  /** A capability that destroys something. */
  readonly destructive: ShortForm;
  /** A capability that acts outside the application. */
  readonly external: ShortForm;
}

function decorate(
  options: Partial<CapabilityOptions>,
): CapabilityMethodDecorator<undefined, undefined, NoArgs> {
  return (target, key, descriptor) => {
    if (typeof target === 'function') {
      throw new TypeError(
        `@Capability() on the static method ${target.name}.${String(key)}: only instance methods can be served.`,
      );
    }
    markCapability(target, key, { options, method: descriptor.value as CapabilityMark['method'] });
  };
}

const shortForm =
  (sideEffect: SideEffect) =>
  (options: object): unknown =>
    decorate({ ...options, sideEffect });

/**
 * Serves a method on every surface its options expose, through one governed pipeline.
 * One method may carry several, for several audiences. The compiler ties the method's
 * parameters and return value to the schemas. Writes metadata and nothing else: options
 * are checked together when the application starts (`CapabilityDefinitionError`).
 *
 * @throws TypeError on a static method.
 */
export const Capability = Object.assign(
  (first: object, binding?: ContractBinding): unknown =>
    decorate(isContract(first) ? contractOptions(first, binding) : first),
  {
    read: shortForm('read'),
    write: shortForm('write'),
    destructive: shortForm('destructive'),
    external: shortForm('external'),
  },
) as unknown as CapabilityDecorator;
