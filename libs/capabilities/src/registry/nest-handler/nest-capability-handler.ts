import type { NestInterceptor } from '@nestjs/common';
import type { HandlerContext } from '../../contract/handler-context.js';
import { CapabilityError } from '../../errors/capability-error.js';
import { frozenClone } from '../../kernel/frozen-clone.js';
import type { CapabilityHandler, HandlerCall } from '../capability-definition.js';
import {
  CapabilityExecutionContext,
  type CapabilityTarget,
} from '../execution-context/capability-execution-context.js';
import type { CallContextIds } from './call-context-ids.js';
import type { InstanceSource } from './nest-injector.js';
import { runInterceptors } from './run-interceptors.js';

type Method = (...args: readonly unknown[]) => unknown;
type Host = Record<PropertyKey, Method>;
type Args = (input: unknown, context: HandlerContext) => readonly unknown[];

/** Everything that module init learned about one host method. */
export interface HandlerBinding {
  readonly key: string | symbol;
  readonly target: CapabilityTarget;
  readonly host: InstanceSource<object>;
  readonly guard: CapabilityHandler['guard'];
  readonly interceptors: readonly InstanceSource<object>[];
  /** Maps the input to the method's parameters; without it the method gets `(input, context)`. */
  readonly args: Args | undefined;
  readonly contextIds: CallContextIds;
}

/**
 * Reaches a method of a Nest provider. Definitions exist before their hosts do, so it is
 * made empty while modules are constructed, refuses everything, and is bound at module init.
 */
export class NestCapabilityHandler implements CapabilityHandler {
  guard: CapabilityHandler['guard'] = refuse;
  invoke: CapabilityHandler['invoke'] = refuse;

  bind(binding: HandlerBinding): void {
    this.guard = binding.guard;
    this.invoke = invocation(binding);
  }
}

function refuse(): never {
  throw new CapabilityError('UNAVAILABLE', { message: 'The application is still starting.' });
}

function invocation(binding: HandlerBinding): CapabilityHandler['invoke'] {
  const callMethod = methodCall(binding);
  const { target, host, interceptors, contextIds } = binding;
  if (!host.scoped && interceptors.length === 0) {
    const { instance } = host;
    return (input, context) => callMethod(instance, input, context);
  }
  return async (input: unknown, context: HandlerContext, call: HandlerCall) => {
    const resolve = async <T>(source: InstanceSource<T>): Promise<T> =>
      source.scoped ? source.load(contextIds.of(call)) : source.instance;
    const instance = await resolve(host);
    if (interceptors.length === 0) return callMethod(instance, input, context);
    const made = (await Promise.all(interceptors.map(resolve))) as NestInterceptor[];
    const seen = new CapabilityExecutionContext(target, call, frozenClone(input));
    return runInterceptors(made, seen, () => callMethod(instance, input, context));
  };
}

type MethodCall = (host: object, input: unknown, context: HandlerContext) => unknown;

/** Reads the method from the instance on every call, so that whatever wraps it later is honoured. */
function methodCall({ key, args }: HandlerBinding): MethodCall {
  if (args === undefined) return (host, input, context) => (host as Host)[key]!(input, context);
  return (host, input, context) => (host as Host)[key]!(...args(input, context));
}
