import type { CanActivate, Type } from '@nestjs/common';
import {
  type ApprovalRouteOptions,
  approvalRouteProblems,
  type OptionProblem,
  type ResolvedApprovalRoutes,
  resolveApprovalRoutes,
  sameApprovalRoutes,
} from './approvals/approval-route-options.js';
import { isLiteralPath, trimSlashes } from './literal-path.js';

/** Options of `RestSurfaceModule.forRoot`. */
export interface RestSurfaceOptions {
  /** Path of the default routes, `POST /{path}/{name}`, below the global prefix. Default `'capabilities'`. */
  readonly path?: string;
  /**
   * Stamped on every handler that is generated, the one for unknown names included: guards, marks of an
   * authorization package, OpenAPI decorators. Guards among them run before the library's own.
   */
  readonly decorators?: readonly MethodDecorator[];
  /** Largest request body of a capability route, bytes. Default 262 144 (256 KiB). */
  readonly bodyLimit?: number;
  /** `false` leaves every capability out of the OpenAPI document. Default true. */
  readonly document?: boolean;
  /** Stands in for `PrincipalGuard`. What it leaves out, the pipeline does. */
  readonly principalGuard?: Type<CanActivate>;
  /** Stands in for `PermissionGuard`. What it leaves out, the pipeline does. */
  readonly permissionGuard?: Type<CanActivate>;
  /** The routes on which people and systems find and decide approvals. Default on; `false` leaves them out. */
  readonly approvals?: ApprovalRouteOptions | false;
}

/** Options with every default applied. */
export interface ResolvedRestOptions {
  readonly path: string;
  readonly decorators: readonly MethodDecorator[];
  readonly bodyLimit: number;
  readonly document: boolean;
  /** Undefined: no approval routes. */
  readonly approvals: ResolvedApprovalRoutes | undefined;
}

export const REST_OPTIONS = Symbol.for('nest-capabilities.rest.Options');

/** Applies the defaults; what is wrong is told by {@link restOptionsProblem}. */
export function resolveRestOptions(options: RestSurfaceOptions): ResolvedRestOptions {
  const { path = 'capabilities', decorators = [], bodyLimit = 262_144, document = true } = options;
  const { approvals = {} } = options;
  return {
    path: trimSlashes(path),
    decorators,
    bodyLimit,
    document,
    approvals: approvals === false ? undefined : resolveApprovalRoutes(approvals),
  };
}

/** Why the application must not start with these options. */
export function restOptionsProblems({
  path,
  bodyLimit,
  approvals,
}: ResolvedRestOptions): readonly OptionProblem[] {
  const problems: OptionProblem[] = [];
  if (!Number.isSafeInteger(bodyLimit) || bodyLimit < 1) {
    problems.push({
      problem: '`bodyLimit` is no positive integer',
      remedy: 'Give it in bytes, or leave it out',
    });
  }
  if (!isLiteralPath(path)) {
    problems.push({
      problem: '`path` must be literal segments',
      remedy: 'Write it as capabilities or api/capabilities',
    });
  }
  return [...problems, ...(approvals === undefined ? [] : approvalRouteProblems(approvals, path))];
}

/** True when two imports of the module ask for the same surface. */
export function sameRestOptions(a: ResolvedRestOptions, b: ResolvedRestOptions): boolean {
  const { length } = a.decorators;
  return (
    a.path === b.path &&
    a.bodyLimit === b.bodyLimit &&
    a.document === b.document &&
    sameApprovalRoutes(a.approvals, b.approvals) &&
    length === b.decorators.length &&
    a.decorators.every((decorator, index) => decorator === b.decorators[index])
  );
}
