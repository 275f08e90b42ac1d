import { applyDecorators, SetMetadata, UseInterceptors } from '@nestjs/common';
import { ApprovalInterceptor } from './approval.interceptor.js';
import { REQUIRE_APPROVAL, RequireApprovalInterceptor } from './require-approval.interceptor.js';
import type { RequireApprovalOptions } from './route-capability.js';

/**
 * A handler of an ordinary controller waits for a human: the first request is answered 202 with an approval,
 * and the requester repeats the same request with the header `Approval-Id` once it was approved. Handler,
 * route, path parameters, query and parsed body are bound by hash; the header is good once. Refuses with an
 * `HttpException` whose response is the error envelope.
 *
 * Runs after the guards and before the pipes of the handler. Other headers are not bound.
 */
export function RequireApproval(options: RequireApprovalOptions = {}): MethodDecorator {
  return applyDecorators(
    SetMetadata(REQUIRE_APPROVAL, Object.freeze({ ...options })),
    UseInterceptors(ApprovalInterceptor, RequireApprovalInterceptor),
  );
}
