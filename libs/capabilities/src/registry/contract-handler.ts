import { declaredFailure } from '../contract/tagged-failure.js';
import { isPromiseLike } from '../kernel/promise-like.js';
import type { CapabilityHandler } from './capability-definition.js';

/** The handler of a contract: tagged objects that it throws count as the declared failures of that tag. */
export function contractHandler(
  handler: CapabilityHandler,
  isDeclared: (tag: string) => boolean,
): CapabilityHandler {
  const rethrow = (thrown: unknown): never => {
    throw declaredFailure(thrown, isDeclared) ?? thrown;
  };
  return {
    // Read late: a handler learns its guards when the application starts.
    get guard() {
      return handler.guard;
    },
    invoke: (input, context, call) => {
      try {
        const result = handler.invoke(input, context, call);
        return isPromiseLike(result) ? result.then(undefined, rethrow) : result;
      } catch (thrown) {
        return rethrow(thrown);
      }
    },
  };
}
