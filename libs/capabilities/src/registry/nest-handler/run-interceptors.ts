import { AsyncResource } from 'node:async_hooks';
import type { NestInterceptor } from '@nestjs/common';
import { defer, lastValueFrom, mergeAll, type Observable } from 'rxjs';
import type { CapabilityExecutionContext } from '../execution-context/capability-execution-context.js';

/** Runs the handler inside interceptors, outermost first, and settles with the last value they let out. */
export function runInterceptors(
  interceptors: readonly NestInterceptor[],
  context: CapabilityExecutionContext,
  handler: () => unknown,
): Promise<unknown> {
  const from = (index: number): Observable<unknown> => {
    const interceptor = interceptors[index];
    // Bound here, so that the handler runs in the async context in which handle() was called.
    const step = interceptor
      ? AsyncResource.bind(async () => interceptor.intercept(context, { handle: () => from(index + 1) }))
      : undefined;
    return step ? defer(step).pipe(mergeAll()) : defer(AsyncResource.bind(async () => handler()));
  };
  return lastValueFrom(from(0));
}
