import { Inject, Injectable, Module, Scope, UsePipes, ValidationPipe } from '@nestjs/common';
import {
  allow,
  AuditSink,
  type AuditEvent,
  CapabilitiesModule,
  Capability,
  CapabilityDefinitionError,
  CapabilityExplorer,
  CapabilityHost,
  CapabilityPolicy,
  type CapabilityPolicyRule,
  CapabilityRegistry,
  CapabilityRunner,
  deny,
  ExecutionHook,
  PrincipalResolver,
} from 'nest-capabilities';
import { Test } from '@nestjs/testing';
import {
  BASE,
  boot,
  closeApps,
  execute,
  ListedPermissions,
  reader,
  resultOf,
  start,
  type TestUser,
} from './support.js';

afterEach(closeApps);

@Injectable()
class Service {
  @Capability({ ...BASE, name: 'act' })
  act() {
    return { ok: true };
  }
}

@Injectable()
class Open {
  @Capability({ ...BASE, name: 'open', permission: null })
  open() {
    return { ok: true };
  }
}

const bare = (...imports: unknown[]) =>
  Test.createTestingModule({ imports: imports as [], providers: [Service] });

describe('forRoot', () => {
  it('injects the runner and the resolver anywhere; without one everyone is anonymous (SI-38)', async () => {
    @Injectable()
    class Worker {
      constructor(
        readonly runner: CapabilityRunner,
        readonly resolver: PrincipalResolver,
      ) {}
    }
    @Module({ providers: [Worker] })
    class WorkerModule {}
    const app = await boot({ imports: [WorkerModule], providers: [Open] });
    const worker = app.get(Worker, { strict: false });
    const principal = await worker.resolver.resolve({ surface: 'direct' });
    expect(principal).toMatchObject({ kind: 'anonymous', user: null });
    expect(resultOf(await worker.runner.execute('open', {}, { principal }))).toBe('completed');
  });

  it('without a policy starts only if every permission is null (SI-38)', async () => {
    await expect(start(bare(CapabilitiesModule.forRoot()))).rejects.toThrow(
      /act \(Service\.act\).*POLICY_MISSING/,
    );
    const open = Test.createTestingModule({ imports: [CapabilitiesModule.forRoot()], providers: [Open] });
    expect(resultOf(await execute(await start(open), 'open'))).toBe('completed');
  });

  it('makes ports with the dependencies they inject', async () => {
    const events: string[] = [];
    const ends: string[] = [];
    @Injectable()
    class Users {
      readonly allowed = new Set(['u-reader']);
    }
    @Module({ providers: [Users, { provide: 'EVENTS', useValue: events }], exports: [Users, 'EVENTS'] })
    class UsersModule {}
    @Injectable()
    class Policy extends CapabilityPolicy<TestUser, string> {
      constructor(private readonly users: Users) {
        super();
      }
      userHasPermission({ id }: TestUser): boolean {
        return this.users.allowed.has(id);
      }
    }
    @Injectable()
    class Sink extends AuditSink {
      constructor(@Inject('EVENTS') private readonly list: string[]) {
        super();
      }
      write({ type }: AuditEvent): void {
        this.list.push(type);
      }
    }
    class Hook extends ExecutionHook {
      override onEnd({ name }: { name: string }): void {
        ends.push(name);
      }
    }
    const rule: CapabilityPolicyRule = { name: 'value', phase: 'access', evaluate: () => allow() };
    const app = await boot(
      { providers: [Service] },
      {
        imports: [UsersModule],
        policy: Policy,
        sinks: [Sink],
        hooks: [{ useValue: new Hook() }],
        policies: [
          rule,
          {
            useFactory: (users: Users) => ({
              ...rule,
              name: 'made',
              evaluate: () => (users.allowed.size > 1 ? deny('no') : allow()),
            }),
            inject: [Users],
          },
        ],
      },
    );
    expect(resultOf(await execute(app, 'act'))).toBe('completed');
    expect(events).toEqual(expect.arrayContaining(['requested', 'completed']));
    expect(ends).toEqual(['act']);
    app.get(Users, { strict: false }).allowed.add('another');
    expect(resultOf(await execute(app, 'act'))).toBe('FORBIDDEN');
  });

  it('refuses request-scoped ports', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class Scoped extends ListedPermissions {}
    await expect(boot({ providers: [Service] }, { policy: Scoped })).rejects.toThrow(/request-scoped/);
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])(
    'refuses a policy time limit of %s',
    async (policyTimeoutMs) => {
      await expect(boot({ providers: [Service] }, { policyTimeoutMs })).rejects.toThrow(/DURATION_INVALID/);
    },
  );

  it('checks global policies, defaults and hosts with everything else', async () => {
    @Injectable()
    @CapabilityHost({ namespaces: 'x' } as never)
    class Host {
      @Capability({ ...BASE, name: 'x' })
      act() {
        return {};
      }
    }
    const rule = { name: 'twice', phase: 'access', evaluate: () => allow() } as const;
    const options = { policies: [rule, { ...rule }], defaults: { risks: 'low' } as never };
    const booting = boot({ providers: [Host] }, options);
    await expect(booting).rejects.toThrow(/@CapabilityHost\(\) \(Host\).*OPTION_UNKNOWN/);
    await expect(booting).rejects.toThrow(/POLICY_DUPLICATE/);
    await expect(booting).rejects.toThrow(/forRoot\(\{ defaults \}\).*OPTION_UNKNOWN/);
  });

  it('seals the registry', async () => {
    const app = await boot({ providers: [Service] });
    expect(app.get(CapabilityRegistry).isSealed).toBe(true);
    expect(() => app.get(CapabilityRegistry).seal([])).toThrow(TypeError);
    expect(() => app.get(CapabilityExplorer).addCheck(() => [])).toThrow(/before module init/);
  });
});

describe('two imports', () => {
  it('with the same options are one module', async () => {
    const rule: CapabilityPolicyRule = { name: 'rule', phase: 'access', evaluate: () => allow() };
    const twice = () => CapabilitiesModule.forRoot({ policy: ListedPermissions, policies: [rule] });
    @Module({ imports: [twice()] })
    class Feature {}
    const app = await start(bare(twice(), Feature));
    expect(resultOf(await execute(app, 'act'))).toBe('completed');
  });

  it('with different options do not start, and both importers are named', async () => {
    @Module({ imports: [CapabilitiesModule.forRoot({ policy: ListedPermissions })] })
    class SalesModule {}
    @Module({ imports: [CapabilitiesModule.forRoot({ policy: ListedPermissions, policyTimeoutMs: 5 })] })
    class StockModule {}
    await expect(start(bare(SalesModule, StockModule))).rejects.toThrow(
      /CapabilitiesModule.*MODULE_REPEATED.*SalesModule and StockModule/,
    );
  });

  it('two applications in one process share nothing (SI-36)', async () => {
    const one = await boot({ providers: [Service] });
    const other = await boot({ providers: [Open] });
    expect(
      one
        .get(CapabilityRegistry)
        .all()
        .map(({ name }) => name),
    ).toEqual(['act']);
    expect(
      other
        .get(CapabilityRegistry)
        .all()
        .map(({ name }) => name),
    ).toEqual(['open']);
  });
});

describe('forRootAsync', () => {
  it('takes values from a factory and ports from the declaration', async () => {
    @Module({ providers: [{ provide: 'RISK', useValue: 'high' }], exports: ['RISK'] })
    class ConfigModule {}
    @Injectable()
    class Inherits {
      @Capability.read({ name: 'inherits', description: 'Inherits everything.' })
      act() {
        return { ok: true };
      }
    }
    const capabilities = CapabilitiesModule.forRootAsync({
      imports: [ConfigModule],
      inject: ['RISK'],
      policy: ListedPermissions,
      useFactory: async (risk: 'high') => ({
        defaults: { risk, expose: ['direct'], permission: 'docs:read' },
      }),
    });
    const app = await start(Test.createTestingModule({ imports: [capabilities], providers: [Inherits] }));
    expect(app.get(CapabilityRegistry).get('inherits')).toMatchObject({
      risk: 'high',
      permission: 'docs:read',
    });
    expect(resultOf(await execute(app, 'inherits', { principal: reader }))).toBe('completed');
  });
});

describe('startup problems (SI-17)', () => {
  it('are listed in one error', async () => {
    @Injectable()
    class Faulty {
      @Capability({ ...BASE, name: 'not a name' })
      named() {
        return {};
      }
      @UsePipes(ValidationPipe)
      @Capability({ ...BASE, name: 'piped' })
      piped() {
        return {};
      }
    }
    @Module({
      providers: [Faulty],
    })
    class SurfaceModule {
      constructor(explorer: CapabilityExplorer) {
        explorer.addCheck((definitions) =>
          definitions.map(({ name, source }) => ({
            capability: name,
            className: source.className,
            methodName: source.methodName,
            code: 'ROUTE_MISSING',
            problem: 'no route',
            remedy: 'Add one',
          })),
        );
      }
    }
    const error: unknown = await start(bare(CapabilitiesModule.forRoot(), SurfaceModule)).catch(
      (e: unknown) => e,
    );
    expect(error).toBeInstanceOf(CapabilityDefinitionError);
    const codes = (error as CapabilityDefinitionError).problems.map(
      ({ code, methodName }) => `${code} ${methodName}`,
    );
    expect(codes).toEqual(
      expect.arrayContaining([
        'NAME_INVALID named',
        'PIPE_ON_CAPABILITY piped',
        'ROUTE_MISSING piped',
        'ROUTE_MISSING act',
        'POLICY_MISSING piped',
        'POLICY_MISSING act',
      ]),
    );
  });

  it('come at module init: while modules are constructed nothing throws', async () => {
    @Injectable()
    class Faulty {
      @Capability({ ...BASE, name: '' })
      act() {
        return {};
      }
    }
    const compiled = await Test.createTestingModule({
      imports: [CapabilitiesModule.forRoot()],
      providers: [Faulty],
    }).compile();
    expect(compiled.get(CapabilityExplorer).discover()).toEqual([]);
    await expect(compiled.init()).rejects.toThrow(CapabilityDefinitionError);
  });
});
