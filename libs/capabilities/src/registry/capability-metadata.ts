import 'reflect-metadata';
import type { CapabilityHostOptions, CapabilityOptions } from '../contract/capability-options.js';

const CAPABILITIES = Symbol.for('nest-capabilities.capabilities');
const HOST = Symbol.for('nest-capabilities.host');

/** A class that may carry capabilities. */
export type HostClass = abstract new (...args: never[]) => object;

type Method = (...args: never[]) => unknown;

/** One `@Capability()` on one method. */
export interface CapabilityMark {
  /** The options as declared, before inheritance; unchecked. */
  readonly options: Partial<CapabilityOptions>;
  /** The function the decorator saw. Other decorators may have replaced it on the prototype since. */
  readonly method: Method;
}

/** A method that carries capabilities, as the nearest class of the chain declares it. */
export interface MarkedMethod {
  readonly key: string | symbol;
  /** In source order, top first. */
  readonly marks: readonly CapabilityMark[];
  /** The prototype that carries the marks. */
  readonly declaredOn: object;
  /** `design:paramtypes`; undefined when the compiler emitted none. */
  readonly paramTypes: readonly unknown[] | undefined;
  readonly paramCount: number;
}

type MarkMap = ReadonlyMap<string | symbol, readonly CapabilityMark[]>;

const ownMarks = (prototype: object): MarkMap | undefined =>
  Reflect.getOwnMetadata(CAPABILITIES, prototype) as MarkMap | undefined;

/**
 * Writes one mark. It is kept on the prototype under the method's name and not on the
 * function, so it survives decorators that replace the function, in either order.
 */
export function markCapability(prototype: object, key: string | symbol, mark: CapabilityMark): void {
  const marks = new Map(ownMarks(prototype));
  // Decorators of one method run bottom-up: the upper one comes last and is listed first.
  marks.set(key, [mark, ...(marks.get(key) ?? [])]);
  Reflect.defineMetadata(CAPABILITIES, marks, prototype);
}

/** Writes the options of a host class. */
export function markHost(type: HostClass, options: CapabilityHostOptions): void {
  Reflect.defineMetadata(HOST, options, type);
}

/** The host options of the nearest class in the chain that declares some. */
export function hostOptions(type: HostClass): CapabilityHostOptions | undefined {
  return Reflect.getMetadata(HOST, type) as CapabilityHostOptions | undefined;
}

/**
 * Every marked method of a class, inherited ones included. Per method name the nearest
 * class that declares capabilities wins as a whole; an override without `@Capability()`
 * keeps the inherited ones and runs in their place.
 */
export function capabilityMethods(type: HostClass): readonly MarkedMethod[] {
  const found = new Map<string | symbol, MarkedMethod>();
  for (
    let prototype = type.prototype as object | null;
    prototype;
    prototype = Object.getPrototypeOf(prototype) as object | null
  ) {
    for (const [key, marks] of ownMarks(prototype) ?? []) {
      if (!found.has(key))
        found.set(key, { key, marks, declaredOn: prototype, ...parameters(prototype, key, marks) });
    }
  }
  return [...found.values()];
}

function parameters(
  prototype: object,
  key: string | symbol,
  marks: readonly CapabilityMark[],
): Pick<MarkedMethod, 'paramTypes' | 'paramCount'> {
  const paramTypes = Reflect.getMetadata('design:paramtypes', prototype, key) as
    readonly unknown[] | undefined;
  // The mark nearest to the method saw the function with its real parameters.
  return { paramTypes, paramCount: paramTypes?.length ?? marks.at(-1)?.method.length ?? 0 };
}
