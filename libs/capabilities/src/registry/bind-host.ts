import type { DeclarationProblem, DeclarationProblemCode } from '../contract/declaration-problem.js';
import type { DeclaredCapability } from './declare-host.js';
import type { CapabilityTarget } from './execution-context/capability-execution-context.js';
import { type HandlerBinder, UnresolvedEnhancer } from './nest-handler/handler-binder.js';
import { type MethodEnhancers, methodEnhancers } from './nest-handler/method-enhancers.js';
import { uniteMetadata } from './nest-handler/unite-metadata.js';
import type { ScannedHost } from './scan-hosts.js';

type Method = CapabilityTarget['method'];

/** The class and method as enhancers see them; undefined when the prototype has no such method. */
export function targetOf(host: ScannedHost, declared: DeclaredCapability): CapabilityTarget | undefined {
  const prototype = host.instanceClass.prototype as Record<PropertyKey, unknown>;
  const method = prototype[declared.key];
  if (typeof method !== 'function') return undefined;
  uniteMetadata(declared.mark.method, method);
  return { hostClass: host.instanceClass, method: method as Method };
}

/** Binds one handler to its instance and enhancers; answers what stands in the way. */
export async function bindCapability(
  host: ScannedHost,
  declared: DeclaredCapability,
  binder: HandlerBinder,
): Promise<readonly DeclarationProblem[]> {
  const problem = problemAt(declared);
  const target = targetOf(host, declared);
  if (target === undefined) {
    return [
      problem('HOST_INVALID', 'the method is gone from the prototype', 'Remove what deletes or replaces it'),
    ];
  }
  const enhancers = methodEnhancers(target);
  const problems = pipeProblems(host, enhancers, problem);
  try {
    const binding = await binder.binding(host, target, enhancers);
    const { instance } = binding.host.scoped ? { instance: undefined } : binding.host;
    if (
      !binding.host.scoped &&
      typeof (instance as Record<PropertyKey, unknown> | null)?.[declared.key] !== 'function'
    ) {
      return [
        ...problems,
        problem(
          'HOST_INVALID',
          'the provided instance has no such method',
          'Provide an instance of the class',
        ),
      ];
    }
    const args = declared.definition?.options.args;
    declared.handler.bind({ ...binding, key: declared.key, args });
    return problems;
  } catch (error) {
    if (!(error instanceof UnresolvedEnhancer)) throw error;
    return [...problems, unresolved(error, problem)];
  }
}

type ProblemMaker = (code: DeclarationProblemCode, problem: string, remedy: string) => DeclarationProblem;

const problemAt =
  ({ place }: DeclaredCapability): ProblemMaker =>
  (code, problem, remedy) => ({ ...place, code, problem, remedy });

function pipeProblems(
  host: ScannedHost,
  enhancers: MethodEnhancers,
  problem: ProblemMaker,
): DeclarationProblem[] {
  // On a controller, class-level pipes serve its own routes.
  const isController = host.moduleRef.controllers.has(host.wrapper.token);
  if (!enhancers.methodPipes && (!enhancers.classPipes || isController)) return [];
  return [
    problem(
      'PIPE_ON_CAPABILITY',
      '@UsePipes has no effect on a capability',
      'Remove it: inputSchema is the pipe',
    ),
  ];
}

function unresolved(error: UnresolvedEnhancer, problem: ProblemMaker): DeclarationProblem {
  const code = error.kind === 'guard' ? 'GUARD_UNRESOLVED' : 'INTERCEPTOR_UNRESOLVED';
  return problem(
    code,
    `the ${error.kind} ${error.enhancer} cannot be made: ${error.message}`,
    `Import what ${error.enhancer} injects into the module of the host`,
  );
}
