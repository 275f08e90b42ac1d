import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CanActivate,
  Inject,
  Injectable,
  Module,
  type ModuleMetadata,
  type NestInterceptor,
  UseGuards,
  UseInterceptors,
  UsePipes,
  ValidationPipe,
} from '@nestjs/common';
import {
  allow,
  type CapabilitiesModuleOptions,
  Capability,
  CapabilityHost,
  type CapabilityOptions,
  type CapabilityPolicyRule,
  type DeclarationProblem,
  PrincipalResolver,
} from 'nest-capabilities';
import type { RestSurfaceOptions } from 'nest-capabilities/rest';
import { z } from 'zod';

/** One problem as the error must list it; `remedy` is a part of what it tells to change. */
export type Expected = Pick<DeclarationProblem, 'capability' | 'className' | 'methodName' | 'code'> & {
  readonly remedy: string;
};

/** One broken application. */
export interface StartupFixture {
  readonly title: string;
  readonly providers?: ModuleMetadata['providers'];
  readonly imports?: ModuleMetadata['imports'];
  readonly options?: CapabilitiesModuleOptions;
  readonly rest?: RestSurfaceOptions;
  readonly expected: readonly Expected[];
}

/** A well-formed read; every fixture breaks one thing of it. */
const READ = {
  description: 'A capability under test.',
  expose: ['rest', 'direct'],
  risk: 'low',
  permission: null,
  sideEffect: 'read',
  inputSchema: z.object({ id: z.string() }),
} satisfies CapabilityOptions;
const WRITE = { sideEffect: 'write', approval: { required: false } };
const RULE: CapabilityPolicyRule = { name: 'rule', phase: 'access', evaluate: () => allow() };

/** A class of that name with one capability, `act`. */
function host(className: string, options: object): new () => object {
  @Injectable()
  class Host {
    act(_input: object): void {}
  }
  const decorate = Capability({ ...READ, name: className, ...options }) as MethodDecorator;
  const descriptor = Object.getOwnPropertyDescriptor(Host.prototype, 'act')!;
  Reflect.defineMetadata('design:paramtypes', [Object], Host.prototype, 'act');
  decorate(Host.prototype, 'act', descriptor);
  return Object.defineProperty(Host, 'name', { value: className });
}

type Code = Expected['code'];

const at = (className: string, code: Code, remedy: string, capability = className): Expected => ({
  capability,
  className,
  methodName: 'act',
  code,
  remedy,
});

/** One broken declaration, in a class of its own. */
function option(
  title: string,
  className: string,
  options: object,
  code: Code,
  remedy: string,
  capability?: string,
): StartupFixture {
  return {
    title,
    providers: [host(className, options)],
    expected: [at(className, code, remedy, capability)],
  };
}

const unnamed = (className: string): string => `${className}.act`;

const DECLARATIONS: readonly StartupFixture[] = [
  option('no description', 'NoDescription', { description: undefined }, 'OPTION_MISSING', 'Describe'),
  option('no name', 'NoName', { name: undefined }, 'OPTION_MISSING', '`name`', unnamed('NoName')),
  option('no exposure anywhere', 'NoExpose', { expose: undefined }, 'OPTION_MISSING', 'Set `expose`'),
  option('no risk anywhere', 'NoRisk', { risk: undefined }, 'OPTION_MISSING', 'Set `risk`'),
  option(
    'no permission anywhere',
    'NoPermission',
    { permission: undefined },
    'OPTION_MISSING',
    'null for none',
  ),
  option('an ill-typed option', 'IllTyped', { tags: 'one' }, 'OPTION_INVALID', 'array'),
  option(
    'an unknown option',
    'UnknownOption',
    { descripton: 'x' },
    'OPTION_UNKNOWN',
    'Did you mean `description`',
  ),
  option(
    'an unknown nested option',
    'UnknownNested',
    { approval: { quorom: 2 } },
    'OPTION_UNKNOWN',
    'approval.quorum',
  ),
  option('a bad name', 'BadName', { name: 'bad name' }, 'NAME_INVALID', 'Choose a name', 'bad name'),
  option(
    'a reserved name',
    'ReservedName',
    { name: '__proto__' },
    'NAME_INVALID',
    'Choose a name',
    '__proto__',
  ),
  option(
    'an unknown surface',
    'UnknownSurface',
    { expose: ['mpc'] },
    'SURFACE_UNKNOWN',
    "Did you mean 'mcp'",
  ),
  option(
    'an input that cannot be converted',
    'Unconvertible',
    { inputSchema: z.object({ m: z.map(z.string(), z.string()) }) },
    'SCHEMA_UNCONVERTIBLE',
    '',
  ),
  option('an erased input type', 'Erased', { inputSchema: undefined }, 'INPUT_ERASED', 'DTO class'),
  option(
    'read-only and destructive',
    'BothAnnotations',
    { sideEffect: undefined, annotations: { readOnly: true, destructive: true } },
    'SIDE_EFFECT_UNCLEAR',
    'to false',
  ),
  option(
    'a retry on a write',
    'RetriedWrite',
    { ...WRITE, retry: { maxAttempts: 1 } },
    'RETRY_UNSAFE',
    'idempotent: true',
  ),
  option('GET on a write', 'GetOnWrite', { ...WRITE, http: { method: 'GET' } }, 'GET_ON_WRITE', 'POST'),
  option('no time at all', 'ZeroTime', { timeoutMs: 0 }, 'DURATION_INVALID', 'positive'),
  option('a time that is no number', 'NaNTime', { timeoutMs: Number.NaN }, 'DURATION_INVALID', 'positive'),
  option(
    'approval by the host without describe',
    'Undescribed',
    { ...WRITE, approval: { required: false, by: 'host' } },
    'APPROVAL_UNDESCRIBED',
    'describe(input)',
  ),
  option(
    'fewer approvers than the quorum',
    'FewApprovers',
    { approval: { approvers: ['a'], quorum: 2 } },
    'APPROVERS_TOO_FEW',
    'more approvers',
  ),
  option(
    'an empty list of approvers',
    'NoApprovers',
    { approval: { approvers: [] } },
    'APPROVERS_TOO_FEW',
    'canApprove',
  ),
  option(
    'webauthn without a verifier',
    'NoStepUp',
    { approval: { strength: 'webauthn' } },
    'STEP_UP_MISSING',
    'StepUpVerifier',
  ),
  option(
    'an unknown policy phase',
    'UnknownPhase',
    { policies: [{ ...RULE, phase: 'before' }] },
    'POLICY_INVALID',
    "'access' or 'invocation'",
  ),
  option(
    'an empty policy phase',
    'EmptyPhase',
    { policies: [{ ...RULE, phase: '' }] },
    'POLICY_INVALID',
    "'access' or 'invocation'",
  ),
  option(
    'hiding after the input was judged',
    'LateHide',
    { policies: [{ ...RULE, phase: 'invocation', hides: true }] },
    'POLICY_INVALID',
    "phase: 'access'",
  ),
  option(
    'two policies of one name',
    'TwicePolicy',
    { policies: [RULE, { ...RULE }] },
    'POLICY_DUPLICATE',
    'its own name',
  ),
  option(
    'a path parameter that is no input',
    'PathParameter',
    { http: { path: '/things/:thing' } },
    'PATH_PARAMETER_UNKNOWN',
    'id',
  ),
  option(
    'an object in the query',
    'ObjectInQuery',
    { http: { method: 'GET' }, inputSchema: z.object({ filter: z.object({ a: z.string() }) }) },
    'QUERY_PARAMETER_INVALID',
    'POST',
  ),
  option(
    'a constrained field that parsing changes',
    'Constrained',
    { constraints: ['n'], inputSchema: z.object({ n: z.coerce.number() }) },
    'CONSTRAINT_TRANSFORMS',
    'as it was sent',
  ),
  option('a constrained field that is none', 'NoField', { constraints: ['ident'] }, 'FIELD_UNKNOWN', 'id'),
  option(
    '`args` without a schema',
    'ArgsAlone',
    { inputSchema: undefined, args: () => [] },
    'ARGS_WITHOUT_SCHEMA',
    'inputSchema',
  ),
];

class Unresolvable implements CanActivate, NestInterceptor {
  constructor(@Inject('NOWHERE') readonly missing: unknown) {}

  canActivate(): boolean {
    return true;
  }

  intercept(): never {
    throw new Error('never made');
  }
}

/** Nest reports what its own scan cannot make itself; the library makes what a factory hands over. */
@Injectable()
class Guarded {
  @UseGuards(Unresolvable)
  @Capability({ ...READ, name: 'Guarded', expose: ['direct'] })
  act(_input: object): void {}
}

@Injectable()
class Intercepted {
  @UseInterceptors(Unresolvable)
  @Capability({ ...READ, name: 'Intercepted', expose: ['direct'] })
  act(_input: object): void {}
}

@Injectable()
class Piped {
  @UsePipes(ValidationPipe)
  @Capability({ ...READ, name: 'Piped' })
  act(_input: object): void {}
}

@Injectable()
@CapabilityHost({ namespaces: 'x' } as never)
class Misspelt {
  @Capability({ ...READ, name: 'Misspelt' })
  act(_input: object): void {}
}

const Repeated = host('Repeated', {});
@Module({ providers: [Repeated] })
class SalesModule {}
@Module({ providers: [Repeated] })
class StockModule {}

/** A host that is known only once it is made, when the routes are already there. */
async function late(Host: new () => object): Promise<object> {
  await sleep(50);
  return new Host();
}

class NoReload extends PrincipalResolver {
  resolve(): null {
    return null;
  }
}

const ENHANCERS: readonly StartupFixture[] = [
  {
    title: 'a guard that cannot be made',
    providers: [{ provide: 'GUARDED', useFactory: () => late(Guarded) }],
    expected: [at('Guarded', 'GUARD_UNRESOLVED', 'Import what Unresolvable injects')],
  },
  {
    title: 'an interceptor that cannot be made',
    providers: [{ provide: 'INTERCEPTED', useFactory: () => late(Intercepted) }],
    expected: [at('Intercepted', 'INTERCEPTOR_UNRESOLVED', 'Import what Unresolvable injects')],
  },
  {
    title: 'a pipe on a capability',
    providers: [Piped],
    expected: [at('Piped', 'PIPE_ON_CAPABILITY', 'inputSchema is the pipe')],
  },
];

const TOGETHER: readonly StartupFixture[] = [
  {
    title: 'one name twice',
    providers: [host('DupOne', { name: 'dup' }), host('DupTwo', { name: 'dup' })],
    expected: [at('DupTwo', 'NAME_DUPLICATE', 'Rename one of them', 'dup')],
  },
  {
    title: 'two names that are one without dots',
    providers: [host('Dotted', { name: 'a.b' }), host('Underscored', { name: 'a_b' })],
    expected: [at('Underscored', 'NAME_COLLISION', 'Rename one of them', 'a_b')],
  },
  {
    title: 'one route twice',
    providers: [
      host('RouteOne', { http: { path: '/same/:id' } }),
      host('RouteTwo', { http: { path: '/same/:id' } }),
    ],
    expected: [at('RouteTwo', 'ROUTE_DUPLICATE', 'the path')],
  },
  {
    title: 'a written route that is the default of another',
    providers: [host('Default', {}), host('Written', { http: { path: '/capabilities/Default' } })],
    expected: [at('Written', 'ROUTE_DUPLICATE', 'another http.path')],
  },
  {
    title: 'a route that would take the place of an approval route',
    providers: [
      host('Shadowing', { http: { path: '/approvals/:id/decision' } }),
      host('ShadowingAny', { http: { method: 'GET', path: '/:id' } }),
    ],
    expected: [
      at('Shadowing', 'ROUTE_DUPLICATE', 'approvals: { path }'),
      at('ShadowingAny', 'ROUTE_DUPLICATE', 'approvals: { path }'),
    ],
  },
  {
    title: 'a capability on REST that got no route',
    providers: [{ provide: 'MADE', useFactory: () => late(host('Made', {})) }],
    expected: [at('Made', 'ROUTE_MISSING', 'Provide it with Made')],
  },
  {
    title: 'a host in two modules',
    imports: [SalesModule, StockModule],
    expected: [at('Repeated', 'HOST_REPEATED', 'Provide it in one module')],
  },
];

const MODULE_OPTIONS: readonly StartupFixture[] = [
  {
    title: 'an unknown option of a host',
    providers: [Misspelt],
    expected: [
      {
        capability: '@CapabilityHost()',
        className: 'Misspelt',
        methodName: '',
        code: 'OPTION_UNKNOWN',
        remedy: 'namespace',
      },
    ],
  },
  {
    title: 'an unknown default',
    options: { defaults: { risks: 'low' } as never },
    expected: [
      {
        capability: 'forRoot({ defaults })',
        className: 'CapabilitiesModule',
        methodName: '',
        code: 'OPTION_UNKNOWN',
        remedy: 'risk',
      },
    ],
  },
  {
    title: 'no time for a policy',
    options: { policyTimeoutMs: 0 },
    expected: [
      {
        capability: 'CapabilitiesModule',
        className: 'CapabilitiesModule',
        methodName: '',
        code: 'DURATION_INVALID',
        remedy: 'positive',
      },
    ],
  },
  {
    title: 'a policy of the name of a global one',
    providers: [host('SamePolicy', { policies: [{ ...RULE, name: 'global' }] })],
    options: { policies: [{ ...RULE, name: 'global' }] },
    expected: [at('SamePolicy', 'POLICY_DUPLICATE', 'global policies run for every capability')],
  },
  {
    title: 'a permission and no policy to ask',
    providers: [host('Unasked', { permission: 'docs:read' })],
    options: { policy: undefined },
    expected: [at('Unasked', 'POLICY_MISSING', 'permission: null')],
  },
  {
    title: 'a permission and no policy to ask, with another fault',
    providers: [host('UnaskedNamed', { permission: 'docs:read', timeoutMs: -1 })],
    options: { policy: undefined },
    expected: [
      at('UnaskedNamed', 'POLICY_MISSING', 'permission: null'),
      at('UnaskedNamed', 'DURATION_INVALID', 'positive'),
    ],
  },
  {
    title: 'a call that may wait and a resolver that cannot re-read',
    providers: [host('Waiting', { ...WRITE, approval: { required: true } })],
    options: { principals: NoReload },
    expected: [at('Waiting', 'RELOAD_MISSING', 'reload(ref)')],
  },
  {
    title: 'a body limit that is no positive integer',
    rest: { bodyLimit: 0.5 },
    expected: [
      {
        capability: 'RestSurfaceModule',
        className: 'RestSurfaceModule',
        methodName: '',
        code: 'OPTION_INVALID',
        remedy: 'bytes',
      },
    ],
  },
];

/** One fixture for every startup check; those of a surface join with the surface. */
export const FIXTURES: readonly StartupFixture[] = [
  ...DECLARATIONS,
  ...ENHANCERS,
  ...TOGETHER,
  ...MODULE_OPTIONS,
];
