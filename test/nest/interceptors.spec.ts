import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  Scope,
  UseInterceptors,
} from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { map, type Observable, of, throwError } from 'rxjs';
import { z } from 'zod';
import { Capability, CapabilityExecutionContext } from 'nest-capabilities';
import { BASE, boot, closeApps, execute, resultOf } from './support.js';

afterEach(closeApps);

const runs: string[] = [];
beforeEach(() => void runs.splice(0));

const marking = (name: string) =>
  class implements NestInterceptor {
    intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
      runs.push(name);
      return next.handle().pipe(map((value: string) => `${name}(${value})`));
    }
  };

@Injectable()
@UseInterceptors(marking('class'))
class Marked {
  @UseInterceptors(marking('method'))
  @Capability({ ...BASE, name: 'act' })
  act() {
    runs.push('handler');
    return 'value';
  }
}

it('run around the handler, class before method, and may change the result', async () => {
  const app = await boot({ providers: [Marked] });
  expect(await execute(app, 'act', { surface: 'mcp' })).toMatchObject({ output: 'class(method(value))' });
  expect(runs).toEqual(['class', 'method', 'handler']);
});

it('that are global stay with HTTP', async () => {
  const app = await boot({ providers: [Marked, { provide: APP_INTERCEPTOR, useClass: marking('global') }] });
  await execute(app, 'act', { surface: 'mcp' });
  expect(runs).not.toContain('global');
});

it('run around hosts made by a factory', async () => {
  const app = await boot({ providers: [{ provide: 'HOST', useFactory: () => new Marked() }] });
  expect(await execute(app, 'act')).toMatchObject({ output: 'class(method(value))' });
});

it('see a clone of the input, and nothing of it in getArgs() (SI-35)', async () => {
  const seen: unknown[] = [];
  class Meddles implements NestInterceptor {
    intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
      const { input } = CapabilityExecutionContext.create(context);
      seen.push(input, context.getArgs(), context.getType());
      try {
        (input as { tags: string[] }).tags.push('added');
      } catch {
        // A frozen clone is as good as one that is thrown away.
      }
      return next.handle();
    }
  }
  @Injectable()
  class Tags {
    @UseInterceptors(Meddles)
    @Capability({ ...BASE, name: 'tags', inputSchema: z.object({ tags: z.array(z.string()) }) })
    tags(input: { tags: string[] }) {
      return input;
    }
  }
  const app = await boot({ providers: [Tags] });
  expect(await execute(app, 'tags', {}, { tags: ['a'] })).toMatchObject({ output: { tags: ['a'] } });
  expect(seen).toEqual([{ tags: ['a'] }, [{}], 'capability']);
});

it('may answer instead of the handler, or refuse', async () => {
  class Answers implements NestInterceptor {
    intercept(): Observable<unknown> {
      return of('cached');
    }
  }
  class Refuses implements NestInterceptor {
    intercept(): Observable<unknown> {
      return throwError(() => new Error('hidden detail'));
    }
  }
  let ran = 0;
  @Injectable()
  class Service {
    @UseInterceptors(Answers)
    @Capability({ ...BASE, name: 'answered' })
    answered() {
      ran++;
      return 'fresh';
    }
    @UseInterceptors(Refuses)
    @Capability({ ...BASE, name: 'refused' })
    refused() {
      ran++;
      return 'fresh';
    }
  }
  const app = await boot({ providers: [Service] });
  expect(await execute(app, 'answered')).toMatchObject({ output: 'cached' });
  expect(resultOf(await execute(app, 'refused'))).toBe('INTERNAL');
  expect(ran).toBe(0);
});

it('hand their asynchronous context on to the handler', async () => {
  const storage = new AsyncLocalStorage<string>();
  class Opens implements NestInterceptor {
    async intercept(_context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
      await Promise.resolve();
      return storage.run('inside', () => next.handle());
    }
  }
  @Injectable()
  class Service {
    @UseInterceptors(Opens)
    @Capability({ ...BASE, name: 'act' })
    async act() {
      await Promise.resolve();
      return storage.getStore();
    }
  }
  const app = await boot({ providers: [Service] });
  expect(await execute(app, 'act')).toMatchObject({ output: 'inside' });
});

it('may be request-scoped', async () => {
  let made = 0;
  @Injectable({ scope: Scope.REQUEST })
  class PerCall implements NestInterceptor {
    private readonly serial = ++made;
    intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
      return next.handle().pipe(map(() => this.serial));
    }
  }
  @Injectable()
  class Service {
    @UseInterceptors(PerCall)
    @Capability({ ...BASE, name: 'act' })
    act() {
      return 0;
    }
  }
  const app = await boot({ providers: [Service] });
  expect(await execute(app, 'act')).toMatchObject({ output: 1 });
  expect(await execute(app, 'act')).toMatchObject({ output: 2 });
});

it('that cannot be resolved stop the boot', async () => {
  class NoInterceptor {}
  @Injectable()
  class Service {
    @UseInterceptors(NoInterceptor as never)
    @Capability({ ...BASE, name: 'act' })
    act() {
      return 0;
    }
  }
  await expect(boot({ providers: [Service] })).rejects.toThrow(/act.*INTERCEPTOR_UNRESOLVED.*NoInterceptor/);
});
