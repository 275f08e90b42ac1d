import 'reflect-metadata';
import { GUARDS_METADATA, INTERCEPTORS_METADATA, PIPES_METADATA } from '@nestjs/common/constants.js';
import type { CapabilityTarget } from '../execution-context/capability-execution-context.js';

/** What `@UseGuards`, `@UseInterceptors` and `@UsePipes` named: classes or instances, class level first. */
export interface MethodEnhancers {
  readonly guards: readonly unknown[];
  readonly interceptors: readonly unknown[];
  /** True when pipes stand on the method itself or on the whole class. */
  readonly methodPipes: boolean;
  readonly classPipes: boolean;
}

/** Reads the enhancers of a host method. Class-level ones are inherited, as in Nest. */
export function methodEnhancers({ hostClass, method }: CapabilityTarget): MethodEnhancers {
  return {
    guards: [...read(GUARDS_METADATA, hostClass), ...read(GUARDS_METADATA, method)],
    interceptors: [...read(INTERCEPTORS_METADATA, hostClass), ...read(INTERCEPTORS_METADATA, method)],
    methodPipes: read(PIPES_METADATA, method).length > 0,
    classPipes: read(PIPES_METADATA, hostClass).length > 0,
  };
}

function read(key: string, target: object): readonly unknown[] {
  const value: unknown = Reflect.getMetadata(key, target);
  return Array.isArray(value) ? value : [];
}

/** The class of an enhancer given as a class or as an instance. */
export function enhancerClass(enhancer: unknown): unknown {
  return typeof enhancer === 'function' ? enhancer : (enhancer as object | null)?.constructor;
}

/** The name of an enhancer, for messages. */
export function enhancerName(enhancer: unknown): string {
  const type = enhancerClass(enhancer);
  return typeof type === 'function' && type.name !== '' ? type.name : 'an unnamed class';
}
