import { type DynamicModule, Injectable, Module, type Type } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { IsNumber } from 'class-validator';
import { z } from 'zod';
import {
  CapabilitiesModule,
  Capability,
  CapabilityDefinitionError,
  CapabilityExplorer,
  CapabilityHost,
  CapabilityRegistry,
} from 'nest-capabilities';
import { MemoryCapabilityStore } from 'nest-capabilities/memory';
import {
  BASE,
  boot,
  closeApps,
  execute,
  ListedPermissions,
  reader,
  resultOf,
  start,
  writer,
} from './support.js';

afterEach(closeApps);

const names = (app: { get<T>(type: Type<T>): T }): string[] =>
  app
    .get(CapabilityRegistry)
    .all()
    .map(({ name }) => name);

describe('P20: another decorator replaced the method', () => {
  let wrapped = 0;
  const Traced =
    (): MethodDecorator =>
    (_target, _key, descriptor): void => {
      const original = descriptor.value as unknown as (...args: unknown[]) => unknown;
      descriptor.value = function (this: unknown, ...args: unknown[]) {
        wrapped++;
        return original.apply(this, args);
      } as never;
    };

  @Injectable()
  class Service {
    ran = 0;
    @Traced()
    @Capability({ ...BASE, name: 'above', permission: 'docs:write', sideEffect: 'write' })
    above() {
      this.ran++;
      return { ok: true };
    }
    @Capability({ ...BASE, name: 'below', permission: 'docs:write', sideEffect: 'write' })
    @Traced()
    below() {
      this.ran++;
      return { ok: true };
    }
  }

  it.each(['above', 'below'])('keeps the permission and runs the wrapper once: Traced %s', async (name) => {
    const app = await boot({ providers: [Service] });
    const service = app.get(Service);
    wrapped = 0;
    expect(resultOf(await execute(app, name, { principal: reader }))).toBe('FORBIDDEN');
    expect({ wrapped, ran: service.ran }).toEqual({ wrapped: 0, ran: 0 });
    expect(resultOf(await execute(app, name, { principal: writer }))).toBe('completed');
    expect({ wrapped, ran: service.ran }).toEqual({ wrapped: 1, ran: 1 });
  });
});

describe('P21: one provider, several registrations', () => {
  let ran = 0;
  @Injectable()
  class Service {
    @Capability({ ...BASE, name: 'once' })
    once() {
      ran++;
      return { ok: true };
    }
  }

  const onlyOnce = async (app: Awaited<ReturnType<typeof boot>>): Promise<void> => {
    expect(names(app)).toEqual(['once']);
    ran = 0;
    expect(resultOf(await execute(app, 'once'))).toBe('completed');
    expect(ran).toBe(1);
  };

  it('useExisting is one entry', async () => {
    await onlyOnce(await boot({ providers: [Service, { provide: 'ALIAS', useExisting: Service }] }));
  });

  it('a factory that hands over the same instance is one entry', async () => {
    const alias = { provide: 'ALIAS', useFactory: (service: Service) => service, inject: [Service] };
    await onlyOnce(await boot({ providers: [alias, Service] }));
  });

  it('two feature modules are a boot error that names both', async () => {
    @Module({ providers: [Service] })
    class SalesModule {}
    @Module({ providers: [Service] })
    class StockModule {}
    await expect(boot({ imports: [SalesModule, StockModule] })).rejects.toThrow(
      /once.*SalesModule and StockModule/,
    );
  });

  it('one dynamic module imported twice is one entry', async () => {
    @Module({})
    class FeatureModule {
      static register(): DynamicModule {
        return { module: FeatureModule, providers: [Service] };
      }
    }
    const feature = FeatureModule.register();
    @Module({ imports: [feature] })
    class Other {}
    await onlyOnce(await boot({ imports: [feature, Other] }));
  });

  it('a dynamic module registered twice is a boot error', async () => {
    @Module({})
    class FeatureModule {
      static register(id: number): DynamicModule {
        return { module: FeatureModule, providers: [Service, { provide: 'ID', useValue: id }] };
      }
    }
    const imports = [FeatureModule.register(1), FeatureModule.register(2)];
    await expect(boot({ imports })).rejects.toThrow(/FeatureModule and FeatureModule/);
  });

  it('the class and a second instance of it in one module are a boot error', async () => {
    await expect(boot({ providers: [Service, { provide: 'SECOND', useClass: Service }] })).rejects.toThrow(
      /Service is provided 2 times/,
    );
  });

  it('the capabilities module imported twice is one entry', async () => {
    @Module({
      imports: [CapabilitiesModule.forRoot({ policy: ListedPermissions, store: MemoryCapabilityStore })],
    })
    class Other {}
    await onlyOnce(await boot({ imports: [Other], providers: [Service] }));
  });
});

it('P22: two capabilities of one name do not start, and both classes are named', async () => {
  @Injectable()
  class A {
    @Capability({ ...BASE, name: 'dup' })
    dup() {
      return 1;
    }
  }
  @Injectable()
  class B {
    @Capability({ ...BASE, name: 'dup' })
    dup() {
      return 2;
    }
  }
  const booting = boot({ providers: [A, B] });
  await expect(booting).rejects.toThrow(CapabilityDefinitionError);
  await expect(booting).rejects.toThrow(/dup.*B\.dup[\s\S]*A\.dup/);
});

describe('hosts', () => {
  @Injectable()
  @CapabilityHost({ namespace: 'desk', expose: ['direct'], permission: null, risk: 'low' })
  class Desk {
    label = 'real';
    @Capability.read({ description: 'Tells the label.' })
    tell() {
      return { label: this.label };
    }
  }
  const made = (): Desk => Object.assign(new Desk(), { label: 'made' });
  const told = async (app: Awaited<ReturnType<typeof boot>>): Promise<unknown> => {
    const outcome = await execute(app, 'desk.tell');
    return outcome.status === 'completed' ? outcome.output : resultOf(outcome);
  };

  it.each([
    ['a factory under its class', { provide: Desk, useFactory: made }],
    ['a factory under another token', { provide: 'DESK', useFactory: async () => made() }],
    ['a value', { provide: 'DESK', useValue: made() }],
    [
      'a class under another token',
      {
        provide: 'DESK',
        useClass: class extends Desk {
          override label = 'made';
        },
      },
    ],
  ])('are found when provided by %s', async (_how, provider) => {
    const app = await boot({ providers: [provider] });
    expect(await told(app)).toEqual({ label: 'made' });
  });

  it('may be controllers', async () => {
    const app = await boot({ controllers: [Desk] });
    expect(await told(app)).toEqual({ label: 'real' });
  });

  it('may be replaced by a test double, which is governed like the real one', async () => {
    const builder = Test.createTestingModule({ imports: [CapabilitiesModule.forRoot()], providers: [Desk] });
    const app = await start(builder.overrideProvider(Desk).useValue({ tell: () => ({ label: 'double' }) }));
    expect(await told(app)).toEqual({ label: 'double' });
  });

  it('that lost the method do not start', async () => {
    const builder = Test.createTestingModule({ imports: [CapabilitiesModule.forRoot()], providers: [Desk] });
    await expect(start(builder.overrideProvider(Desk).useValue({}))).rejects.toThrow(
      /desk\.tell.*no such method/,
    );
  });

  it('that hand over a subclass with other declarations do not start', async () => {
    class Stricter extends Desk {
      @Capability.read({ description: 'Tells the label to few.', permission: 'desk:tell' })
      override tell() {
        return { label: 'strict' };
      }
    }
    const provider = { provide: Desk, useFactory: () => new Stricter() };
    await expect(boot({ providers: [provider] })).rejects.toThrow(/hands over a Stricter/);
  });

  it('are called through the instance, so that a later spy sees the call', async () => {
    const app = await boot({ providers: [{ provide: Desk, useValue: new Desk() }] });
    app.get(Desk).tell = () => ({ label: 'spied' });
    expect(await told(app)).toEqual({ label: 'spied' });
  });

  it('are discovered while modules are constructed, with the definitions that are sealed', async () => {
    let early: readonly unknown[] = [];
    @Module({})
    class SurfaceModule {
      constructor(explorer: CapabilityExplorer) {
        early = explorer.discover().map(({ definition }) => definition);
      }
    }
    const app = await boot({
      imports: [SurfaceModule],
      providers: [{ provide: Desk, useFactory: () => new Desk() }],
    });
    expect(early).toHaveLength(1);
    expect(app.get(CapabilityRegistry).all()[0]).toBe(early[0]);
    expect(app.get(CapabilityExplorer).discover()[0]?.definition).toBe(early[0]);
  });
});

it('positional parameters come from args', async () => {
  @Injectable()
  class Sums {
    @Capability({
      ...BASE,
      name: 'sum',
      inputSchema: z.object({ x: z.number(), y: z.number() }),
      args: ({ x, y }): [number, number] => [x, y],
    })
    sum(x: number, y: number) {
      return { sum: x + y };
    }
  }
  const app = await boot({ providers: [Sums] });
  expect(await execute(app, 'sum', {}, { x: 2, y: 3 })).toMatchObject({ output: { sum: 5 } });
});

it('the first parameter may be a class-validator DTO', async () => {
  class Numbers {
    @IsNumber()
    x!: number;
    @IsNumber()
    y!: number;
  }
  @Injectable()
  class Sums {
    @Capability({ ...BASE, name: 'sum' })
    sum(numbers: Numbers) {
      return { sum: numbers.x + numbers.y, dto: numbers instanceof Numbers };
    }
  }
  const app = await boot({ providers: [Sums] });
  expect(await execute(app, 'sum', {}, { x: 2, y: 3 })).toMatchObject({ output: { sum: 5, dto: true } });
  expect(await execute(app, 'sum', {}, { x: 2, y: 'three' })).toMatchObject({
    error: { details: { field: 'y' } },
  });
});
