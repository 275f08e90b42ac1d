import {
  type CanActivate,
  ConflictException,
  type ExecutionContext,
  Inject,
  Injectable,
  Logger,
  Module,
  type Provider,
  Scope,
  SetMetadata,
  type Type,
  UnauthorizedException,
  UseGuards,
} from '@nestjs/common';
import { APP_GUARD, Reflector, REQUEST } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { jest } from '@jest/globals';
import { of } from 'rxjs';
import { z } from 'zod';
import {
  CapabilitiesModule,
  Capability,
  CapabilityExecutionContext,
  CapabilityExplorer,
  CapabilityRegistry,
  CapabilityRunner,
  type SurfaceId,
} from 'nest-capabilities';
import {
  AlwaysFalse,
  AlwaysTrue,
  BASE,
  boot,
  closeApps,
  execute,
  ListedPermissions,
  reader,
  resultOf,
  start,
} from './support.js';

afterEach(closeApps);

/** A host with guards on its class and its method. */
function host(
  guards: { readonly onClass?: readonly unknown[]; readonly onMethod?: readonly unknown[] } = {},
  extra: MethodDecorator = () => undefined,
): Type<{ ran: number; act(): unknown }> {
  @Injectable()
  @UseGuards(...((guards.onClass ?? []) as []))
  class Service {
    ran = 0;
    @extra
    @UseGuards(...((guards.onMethod ?? []) as []))
    @Capability({ ...BASE, name: 'act' })
    act() {
      this.ran++;
      return { ok: true };
    }
  }
  return Service;
}

describe('P16: a guard in every place (SI-07)', () => {
  const places = (guard: Type<CanActivate>) =>
    [
      ['class', host({ onClass: [guard] }), [], {}],
      ['method', host({ onMethod: [guard] }), [], {}],
      ['APP_GUARD', host(), [{ provide: APP_GUARD, useClass: guard }], {}],
      ['module option', host(), [], { guards: [guard] }],
    ] as const;

  it.each(places(AlwaysTrue))(
    'that allows all changes nothing: %s',
    async (_place, service, providers, options) => {
      const app = await boot({ providers: [service, ...providers] }, options);
      expect(resultOf(await execute(app, 'act'))).toBe('completed');
      expect(app.get(service).ran).toBe(1);
    },
  );

  it.each(places(AlwaysFalse))(
    'that denies runs nothing: %s',
    async (_place, service, providers, options) => {
      const app = await boot({ providers: [service, ...providers] }, options);
      for (const surface of ['direct', 'mcp', 'rest', 'jobs'] satisfies SurfaceId[]) {
        expect(resultOf(await execute(app, 'act', { surface }))).toBe('FORBIDDEN');
      }
      expect(app.get(service).ran).toBe(0);
    },
  );

  it('without guards there is nothing to run', async () => {
    const app = await boot({ providers: [host()] });
    expect(app.get(CapabilityRegistry).get('act')?.handler.guard).toBeUndefined();
  });

  it('denies before any input is looked at (SI-05)', async () => {
    @Injectable()
    class Service {
      @UseGuards(AlwaysFalse)
      @Capability({ ...BASE, name: 'act', inputSchema: z.object({ id: z.string() }) })
      act() {
        return {};
      }
    }
    const app = await boot({ providers: [Service] });
    expect(resultOf(await execute(app, 'act', {}, { nonsense: 1 }))).toBe('FORBIDDEN');
  });
});

describe('order and number of runs', () => {
  const runs: string[] = [];
  const marked = (name: string): Type<CanActivate> =>
    class implements CanActivate {
      canActivate(): boolean {
        runs.push(name);
        return true;
      }
    };
  const service = host({ onClass: [marked('class')], onMethod: [marked('method')] });
  const bootMarked = () =>
    boot(
      { providers: [service, { provide: APP_GUARD, useClass: marked('global') }] },
      { guards: [marked('pipeline')] },
    );
  beforeEach(() => void runs.splice(0));

  it('is global, pipeline, class, method: once each', async () => {
    const app = await bootMarked();
    await execute(app, 'act', { surface: 'mcp' });
    expect(runs).toEqual(['global', 'pipeline', 'class', 'method']);
  });

  it('leaves the global ones to Nest on the own route of a capability, and nowhere else', async () => {
    const app = await bootMarked();
    const request = { headers: {} };
    await execute(app, 'act', { surface: 'rest', request, onRoute: true });
    expect(runs).toEqual(['pipeline', 'class', 'method']);
    runs.splice(0);
    await execute(app, 'act', { surface: 'rest', request });
    expect(runs).toEqual(['global', 'pipeline', 'class', 'method']);
  });

  it('includes guards given to useGlobalGuards', async () => {
    const builder = Test.createTestingModule({
      imports: [CapabilitiesModule.forRoot({ policy: ListedPermissions })],
      providers: [service],
    });
    const app = (await builder.compile()).createNestApplication();
    app.useGlobalGuards(new AlwaysFalse());
    await app.init();
    const outcome = await app.get(CapabilityRunner).execute('act', {}, { principal: reader });
    expect(resultOf(outcome)).toBe('FORBIDDEN');
    await app.close();
  });
});

describe('transportGuards', () => {
  it.each([
    ['class', host({ onClass: [AlwaysFalse] }), []],
    ['method', host({ onMethod: [AlwaysFalse] }), []],
    ['APP_GUARD', host(), [{ provide: APP_GUARD, useClass: AlwaysFalse }]],
    [
      'request-scoped APP_GUARD',
      host(),
      [{ provide: APP_GUARD, useClass: AlwaysFalse, scope: Scope.REQUEST }],
    ],
    [
      'factory APP_GUARD',
      host(),
      [{ provide: APP_GUARD, useFactory: () => new AlwaysFalse(), scope: Scope.REQUEST }],
    ],
  ] as const)('never run in the pipeline: %s', async (_place, service, providers) => {
    const app = await boot(
      { providers: [service, ...(providers as readonly Provider[])] },
      { transportGuards: [AlwaysFalse] },
    );
    expect(resultOf(await execute(app, 'act', { surface: 'mcp' }))).toBe('completed');
  });

  it('match the exact class: a subclass still runs', async () => {
    class Subclass extends AlwaysFalse {}
    const app = await boot(
      { providers: [host({ onMethod: [Subclass] })] },
      { transportGuards: [AlwaysFalse] },
    );
    expect(resultOf(await execute(app, 'act'))).toBe('FORBIDDEN');
  });
});

describe('what a guard answers', () => {
  const failing = (error: Error): Type<CanActivate> =>
    class Failing implements CanActivate {
      canActivate(): boolean {
        throw error;
      }
    };

  it('keeps the status of an HttpException below 500', async () => {
    const app = await boot({
      providers: [host({ onMethod: [failing(new ConflictException('Closed for today.'))] })],
    });
    expect(await execute(app, 'act')).toMatchObject({
      error: { reason: 'HTTP_EXCEPTION', status: 409, code: 'CONFLICT', message: 'Closed for today.' },
    });
  });

  it('masks anything else, and nothing runs', async () => {
    const service = host({ onMethod: [failing(new Error('secret at db:5432'))] });
    const app = await boot({ providers: [service] });
    const outcome = await execute(app, 'act');
    expect(resultOf(outcome)).toBe('INTERNAL');
    expect(JSON.stringify(outcome)).not.toContain('secret');
    expect(app.get(service).ran).toBe(0);
  });

  it.each([
    ['a promise', Promise.resolve(false)],
    ['an observable', of(false)],
    ['nothing', undefined as unknown as boolean],
  ])('may be %s that denies', async (_kind, answer) => {
    class Later implements CanActivate {
      canActivate() {
        return answer;
      }
    }
    const app = await boot({ providers: [host({ onMethod: [Later] })] });
    expect(resultOf(await execute(app, 'act'))).toBe('FORBIDDEN');
  });
});

describe('a guard that needs HTTP', () => {
  class NeedsHeaders implements CanActivate {
    canActivate(context: ExecutionContext): boolean {
      return context.switchToHttp().getRequest<{ headers: { key?: string } }>().headers.key === 'k';
    }
  }
  class Asks401 implements CanActivate {
    canActivate(context: ExecutionContext): boolean {
      const { headers } = context.switchToHttp().getRequest<{ headers?: object }>();
      if (headers === undefined) throw new UnauthorizedException();
      return true;
    }
  }
  const warnings = (): jest.SpiedFunction<Logger['warn']> =>
    jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  afterEach(() => jest.restoreAllMocks());

  it('is FORBIDDEN for the caller and named once for the operator, with the remedy', async () => {
    const warn = warnings();
    const app = await boot({ providers: [host(), { provide: APP_GUARD, useClass: NeedsHeaders }] });
    expect(resultOf(await execute(app, 'act', { surface: 'mcp' }))).toBe('FORBIDDEN');
    expect(resultOf(await execute(app, 'act', { surface: 'mcp' }))).toBe('FORBIDDEN');
    expect(warn).toHaveBeenCalledTimes(1);
    expect(warn.mock.calls[0]?.[0]).toMatch(/NeedsHeaders.*act.*'mcp'.*transportGuards/);
  });

  it('keeps its own refusal', async () => {
    warnings();
    const app = await boot({ providers: [host({ onMethod: [Asks401] })] });
    expect(await execute(app, 'act')).toMatchObject({ error: { status: 401, code: 'UNAUTHENTICATED' } });
  });

  it('gets the real request where the transport has one', async () => {
    const warn = warnings();
    const app = await boot({ providers: [host({ onMethod: [NeedsHeaders] })] });
    const request = { headers: { key: 'k' } };
    expect(resultOf(await execute(app, 'act', { surface: 'mcp', request }))).toBe('completed');
    expect(resultOf(await execute(app, 'act', { surface: 'mcp', request: { headers: {} } }))).toBe(
      'FORBIDDEN',
    );
    expect(warn).not.toHaveBeenCalled();
  });
});

describe('the execution context', () => {
  const seen: ExecutionContext[] = [];
  class Looks implements CanActivate {
    canActivate(context: ExecutionContext): boolean {
      seen.push(context);
      return true;
    }
  }

  it('is of type capability and never shows what the caller chose (SI-35)', async () => {
    const service = host({ onMethod: [Looks] });
    const app = await boot({ providers: [service] });
    await execute(app, 'act', { surface: 'mcp' }, {});
    const [context] = seen.splice(0);
    expect(context!.getType()).toBe('capability');
    expect(context!.getArgs()).toEqual([{}]);
    expect(Object.isFrozen(context!.getArgByIndex(0))).toBe(true);
    expect(context!.getClass()).toBe(service);
    expect(context!.getHandler()).toBe(service.prototype.act);
    const view = CapabilityExecutionContext.create(context!);
    expect(view).toMatchObject({ surface: 'mcp', input: undefined, principal: { id: 'u-reader' } });
    expect(view.capability.name).toBe('act');
  });

  it('refuses to present another context as a capability', () => {
    const http = { getType: () => 'http' } as ExecutionContext;
    expect(() => CapabilityExecutionContext.create(http)).toThrow(/type 'http'/);
  });
});

describe('metadata that another decorator lost', () => {
  const Replaced: MethodDecorator = (_target, _key, descriptor) => {
    const original = descriptor.value as unknown as () => unknown;
    descriptor.value = function (this: unknown) {
      return original.call(this);
    } as never;
  };

  it('still guards, with the guard made in the module of the host', async () => {
    @Injectable()
    class Needs implements CanActivate {
      constructor(@Inject('VERDICT') private readonly verdict: boolean) {}
      canActivate(): boolean {
        return this.verdict;
      }
    }
    @Module({ providers: [host({ onMethod: [Needs] }, Replaced), { provide: 'VERDICT', useValue: false }] })
    class Feature {}
    const app = await boot({ imports: [Feature] });
    expect(resultOf(await execute(app, 'act'))).toBe('FORBIDDEN');
  });

  it('adds up with what the replacement carries', async () => {
    const service = host({ onMethod: [AlwaysTrue] }, (target, key, descriptor) => {
      Replaced(target, key, descriptor);
      UseGuards(AlwaysFalse)(target, key, descriptor);
    });
    const app = await boot({ providers: [service] });
    expect(resultOf(await execute(app, 'act'))).toBe('FORBIDDEN');
  });

  it('is readable through getHandler()', async () => {
    @Injectable()
    class ByRole implements CanActivate {
      constructor(private readonly reflector: Reflector) {}
      canActivate(context: ExecutionContext): boolean {
        return this.reflector.get<string>('role', context.getHandler()) === 'nobody';
      }
    }
    @Injectable()
    class Service {
      @Replaced
      @SetMetadata('role', 'admin')
      @UseGuards(ByRole)
      @Capability({ ...BASE, name: 'act' })
      act() {
        return {};
      }
    }
    const app = await boot({ providers: [Service] });
    expect(resultOf(await execute(app, 'act'))).toBe('FORBIDDEN');
  });
});

describe('guards of hosts that Nest did not scan', () => {
  const service = host({ onClass: [AlwaysTrue], onMethod: [AlwaysFalse] });

  it.each([
    ['a factory', { provide: service, useFactory: () => new service() }],
    ['an async factory', { provide: 'LATE', useFactory: async () => new service() }],
    ['a value', { provide: 'VALUE', useValue: new service() }],
  ])('deny on %s', async (_how, provider) => {
    const app = await boot({ providers: [provider] });
    expect(resultOf(await execute(app, 'act'))).toBe('FORBIDDEN');
  });

  it.each([
    ['sealed only', []],
    ['discovered early', [CapabilityExplorer]],
  ])('are made with the dependencies of their module: %s', async (_when, inject) => {
    @Injectable()
    class Needs implements CanActivate {
      constructor(@Inject('VERDICT') private readonly verdict: boolean) {}
      canActivate(): boolean {
        return this.verdict;
      }
    }
    const made = host({ onMethod: [Needs] });
    const surface = {
      provide: 'SURFACE',
      useFactory: (...explorers: CapabilityExplorer[]) => explorers[0]?.discover() ?? null,
      inject,
    };
    const bootWith = (verdict: boolean) =>
      boot({
        providers: [
          { provide: 'HOST', useFactory: () => new made() },
          { provide: 'VERDICT', useValue: verdict },
          surface,
        ],
      });
    expect(resultOf(await execute(await bootWith(true), 'act'))).toBe('completed');
    expect(resultOf(await execute(await bootWith(false), 'act'))).toBe('FORBIDDEN');
  });

  it('that cannot be resolved stop the boot', async () => {
    @Injectable()
    class Needs implements CanActivate {
      constructor(@Inject('ABSENT') private readonly verdict: boolean) {}
      canActivate(): boolean {
        return this.verdict;
      }
    }
    const made = host({ onMethod: [Needs] });
    await expect(boot({ providers: [{ provide: 'HOST', useFactory: () => new made() }] })).rejects.toThrow(
      /act.*GUARD_UNRESOLVED.*Needs[\s\S]*ABSENT/,
    );
  });

  it('that cannot be resolved are reported for every capability they guard', async () => {
    @Injectable()
    class Needs implements CanActivate {
      constructor(@Inject('ABSENT') private readonly verdict: boolean) {}
      canActivate(): boolean {
        return this.verdict;
      }
    }
    @UseGuards(Needs)
    class Two {
      @Capability({ ...BASE, name: 'first' })
      first() {
        return {};
      }
      @Capability({ ...BASE, name: 'second' })
      second() {
        return {};
      }
    }
    await expect(boot({ providers: [{ provide: 'HOST', useValue: new Two() }] })).rejects.toThrow(
      /first.*GUARD_UNRESOLVED[\s\S]*second.*GUARD_UNRESOLVED/,
    );
  });

  it('that are no guards stop the boot', async () => {
    class NoGuard {}
    await expect(boot({ providers: [host({ onMethod: [NoGuard] })] })).rejects.toThrow(
      /GUARD_UNRESOLVED.*NoGuard/,
    );
  });
});

describe('request-scoped guards', () => {
  let made = 0;
  @Injectable({ scope: Scope.REQUEST })
  class PerCall implements CanActivate {
    constructor(@Inject(REQUEST) private readonly request: { allow?: boolean }) {
      made++;
    }
    canActivate(): boolean {
      return this.request.allow === true;
    }
  }
  beforeEach(() => void (made = 0));

  it.each([
    ['on the method of a class', [host({ onMethod: [PerCall] })]],
    [
      'on the method of a factory',
      [{ provide: 'HOST', useFactory: () => new (host({ onMethod: [PerCall] }))() }],
    ],
    ['as APP_GUARD', [host(), { provide: APP_GUARD, useClass: PerCall }]],
  ])('are made once per execution: %s', async (_place, providers) => {
    const app = await boot({ providers });
    const call = (request?: object) => execute(app, 'act', { surface: 'mcp', request });
    expect(resultOf(await call({ allow: true }))).toBe('completed');
    expect(resultOf(await call({ allow: false }))).toBe('FORBIDDEN');
    expect(resultOf(await call())).toBe('FORBIDDEN');
    expect(made).toBe(3);
  });

  it('may be guards of the pipeline', async () => {
    const app = await boot({ providers: [host()] }, { guards: [PerCall] });
    expect(resultOf(await execute(app, 'act', { request: { allow: true } }))).toBe('completed');
    expect(resultOf(await execute(app, 'act', { request: {} }))).toBe('FORBIDDEN');
    expect(made).toBe(2);
  });
});

it('transient guards are made once per host, not per call', async () => {
  let made = 0;
  @Injectable({ scope: Scope.TRANSIENT })
  class Transient implements CanActivate {
    constructor() {
      made++;
    }
    canActivate(): boolean {
      return true;
    }
  }
  const app = await boot({ providers: [host({ onMethod: [Transient] })] });
  const before = made;
  await execute(app, 'act');
  await execute(app, 'act');
  expect(made).toBe(before);
});

it('overrideGuard of @nestjs/testing is honoured', async () => {
  const builder = Test.createTestingModule({
    imports: [CapabilitiesModule.forRoot({ policy: ListedPermissions })],
    providers: [host({ onMethod: [AlwaysFalse] })],
  });
  const app = await start(builder.overrideGuard(AlwaysFalse).useValue(new AlwaysTrue()));
  expect(resultOf(await execute(app, 'act'))).toBe('completed');
});
