import 'reflect-metadata';
import type { ModulesContainer } from '@nestjs/core';
import type { DeclarationProblem, DeclarationProblemCode } from '../../../../contract/declaration-problem.js';
import type { PrincipalResolver } from '../../../../policies/principal-resolver.js';
import { REQUIRE_APPROVAL } from './require-approval.interceptor.js';
import type { RequireApprovalOptions } from './route-capability.js';

type Found = Readonly<{ className: string; methodName: string; options: RequireApprovalOptions }>;
type Wrong = readonly [code: DeclarationProblemCode, problem: string, remedy: string];

/** Handlers with `@RequireApproval()` whose approvals could never be given or executed. */
export function requiredApprovalProblems(
  modules: ModulesContainer,
  principals: PrincipalResolver<unknown>,
): readonly DeclarationProblem[] {
  return handlers(modules).flatMap(({ className, methodName, options }) => {
    const place = { capability: `${className}.${methodName}`, className, methodName };
    const found = [...termProblems(options), ...(principals.reload === undefined ? [NO_RELOAD] : [])];
    return found.map(([code, problem, remedy]) => ({ ...place, code, problem, remedy }));
  });
}

const NO_RELOAD: Wrong = [
  'RELOAD_MISSING',
  '`@RequireApproval()` needs `PrincipalResolver.reload`, which is missing',
  'Implement `reload(ref)`, so that requester and approvers are read again when it executes',
];

function termProblems(options: RequireApprovalOptions): readonly Wrong[] {
  const { approvers, quorum = 1, decideWithin, executeWithin, timeoutMs } = options;
  const problems: Wrong[] = [];
  if (!Number.isInteger(quorum) || quorum < 1) {
    problems.push([
      'LIMIT_INVALID',
      '`quorum` is no positive integer',
      'Set it to the number of people who must approve',
    ]);
  }
  if (approvers !== undefined && new Set(approvers).size < Math.max(quorum, 1)) {
    problems.push([
      'APPROVERS_TOO_FEW',
      '`approvers` names fewer people than the quorum',
      'Name more approvers',
    ]);
  }
  for (const [name, duration] of Object.entries({ decideWithin, executeWithin, timeoutMs })) {
    if (duration === undefined || (Number.isFinite(duration) && duration > 0)) continue;
    problems.push([
      'DURATION_INVALID',
      `\`${name}\` is ${duration}`,
      'Set it to a positive number of milliseconds',
    ]);
  }
  return problems;
}

function handlers(modules: ModulesContainer): readonly Found[] {
  const classes = new Set(
    [...modules.values()].flatMap(({ controllers }) =>
      [...controllers.values()].map((each) => each.metatype),
    ),
  );
  return [...classes].flatMap((type) => (typeof type === 'function' ? handlersOf(type) : []));
}

function handlersOf(type: Function): readonly Found[] {
  const prototype = type.prototype as object;
  return Object.entries(Object.getOwnPropertyDescriptors(prototype)).flatMap(([methodName, { value }]) => {
    if (typeof value !== 'function') return [];
    const options = Reflect.getMetadata(REQUIRE_APPROVAL, value as object) as
      RequireApprovalOptions | undefined;
    return options === undefined ? [] : [{ className: type.name, methodName, options }];
  });
}
