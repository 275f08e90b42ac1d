import {
  applyDecorators,
  type ArgumentsHost,
  type CallHandler,
  type CanActivate,
  Catch,
  Controller,
  type ExceptionFilter,
  type ExecutionContext,
  Get,
  HttpException,
  Inject,
  Injectable,
  Module,
  type NestInterceptor,
  Scope,
  SetMetadata,
  UnauthorizedException,
  UseGuards,
  UseInterceptors,
  ValidationPipe,
} from '@nestjs/common';
import {
  APP_FILTER,
  APP_GUARD,
  APP_INTERCEPTOR,
  APP_PIPE,
  HttpAdapterHost,
  REQUEST,
  Reflector,
} from '@nestjs/core';
import { map, type Observable } from 'rxjs';
import { Capability, CapabilityHost } from 'nest-capabilities';
import { capabilityController, PrincipalGuard, RequirePermission } from 'nest-capabilities/rest';
import { z } from 'zod';
import { ADAPTERS, startRestApp } from './rest-app.js';

let log: string[] = [];
beforeEach(() => (log = []));

@Injectable()
class ApiKey {
  readonly value = 'k1';
}

/** A transport guard with a dependency of its own module. */
@Injectable()
class ApiKeyGuard implements CanActivate {
  constructor(@Inject(ApiKey) private readonly key: ApiKey) {}

  canActivate(context: ExecutionContext): boolean {
    log.push('transport');
    const { headers } = context.switchToHttp().getRequest<{ headers: Record<string, string> }>();
    if (headers['x-api-key'] !== this.key.value) throw new UnauthorizedException('no key S3CRET');
    return true;
  }
}

@Injectable({ scope: Scope.REQUEST })
class ScopedGuard implements CanActivate {
  constructor(@Inject(REQUEST) private readonly request: { headers: Record<string, string> }) {}

  canActivate(): boolean {
    log.push('scoped');
    return this.request.headers['x-scoped'] === 'yes';
  }
}

@Injectable()
class MethodGuard implements CanActivate {
  canActivate(): boolean {
    log.push('pipeline guard');
    return true;
  }
}

@Injectable()
@UseGuards(ApiKeyGuard)
@CapabilityHost({ namespace: 'keys', expose: ['rest'], risk: 'low', permission: 'docs:read' })
class KeysService {
  @UseGuards(ScopedGuard, MethodGuard)
  @Capability.read({ description: 'Guarded on both levels.' })
  list(): string[] {
    log.push('ran');
    return ['a'];
  }
}

@Module({ providers: [ApiKey, KeysService] })
class KeysModule {}

@Module({ providers: [ApiKey, { provide: KeysService, useFactory: () => new KeysService() }] })
class MadeKeysModule {}

const transportGuards = [ApiKeyGuard, ScopedGuard];
const ok = { headers: { 'x-api-key': 'k1', 'x-scoped': 'yes' } };

describe.each(ADAPTERS)('guards on %s', (adapter) => {
  it.each([KeysModule, MadeKeysModule])(
    'run the transport guards of %p before everything else',
    async (module) => {
      const rest = await startRestApp(adapter, { imports: [module], capabilities: { transportGuards } });
      const call = (options: object) => rest.call('keys.list', { wrong: true }, options);
      const refused = await call({ as: null });
      expect([refused.status, refused.headers['www-authenticate']]).toEqual([401, 'Bearer']);
      expect(refused.json).toMatchObject({
        error: { reason: 'UNAUTHENTICATED', message: 'Authentication is required.' },
      });
      expect(log).toEqual(['transport']);
      expect(rest.principals.seen).toEqual([]);

      log = [];
      const scoped = await call({ headers: { 'x-api-key': 'k1' } });
      expect([scoped.status, scoped.json]).toMatchObject([403, { error: { code: 'FORBIDDEN' } }]);
      expect(log).toEqual(['transport', 'scoped']);

      log = [];
      expect((await call({ ...ok, as: null })).status).toBe(401);
      expect(log).toEqual(['transport', 'scoped']);

      log = [];
      expect((await rest.call('keys.list', {}, ok)).json).toEqual(['a']);
      expect(log).toEqual(['transport', 'scoped', 'pipeline guard', 'ran']);
      await rest.close();
    },
  );

  it('refuse to start when a transport guard cannot be made', async () => {
    @Module({ providers: [{ provide: KeysService, useFactory: () => new KeysService() }] })
    class WithoutKey {}
    await expect(
      startRestApp(adapter, { imports: [WithoutKey], capabilities: { transportGuards } }),
    ).rejects.toThrow(/ApiKeyGuard/);
  });

  it.each(['principalGuard', 'permissionGuard'] as const)(
    'may be replaced: without the %s nothing is skipped (SI-39)',
    async (which) => {
      @Injectable()
      class Nothing implements CanActivate {
        canActivate(): boolean {
          log.push('replaced');
          return true;
        }
      }
      const rest = await startRestApp(adapter, {
        providers: [PlainService],
        rest: { principalGuard: Nothing, [which]: Nothing, permissionGuard: Nothing },
      });
      expect((await rest.call('plain.write', {}, { as: null })).status).toBe(401);
      expect((await rest.call('plain.write', {}, { as: 'reader' })).status).toBe(403);
      expect((await rest.call('nope', {})).text).toContain('NOT_FOUND');
      expect(log).not.toContain('ran');
      rest.principals.seen = [];
      expect((await rest.call('plain.write', {})).status).toBe(200);
      expect(rest.principals.seen).toHaveLength(1);
      expect(log.filter((entry) => entry === 'ran')).toHaveLength(1);
      await rest.close();
    },
  );

  it('see the marks of host class, host method and decorators option', async () => {
    const Mark = (value: string) => SetMetadata('mark', value);
    @Injectable()
    class MarkGuard implements CanActivate {
      constructor(@Inject(Reflector) private readonly reflector: Reflector) {}
      canActivate(context: ExecutionContext): boolean {
        const read = (key: string) =>
          this.reflector.getAllAndOverride<string>(key, [context.getHandler(), context.getClass()]);
        log.push(`${read('mark')} ${read('level')} ${read('checked')}`);
        return true;
      }
    }
    @Injectable()
    @Mark('class')
    @SetMetadata('level', 'class')
    @CapabilityHost({ namespace: 'm', expose: ['rest'], risk: 'low', permission: 'docs:read' })
    class MarkedService {
      @Mark('method')
      @Capability.read({ description: 'Marked.' })
      get(): string {
        return 'x';
      }
    }
    const rest = await startRestApp(adapter, {
      providers: [MarkedService],
      rest: { decorators: [applyDecorators(SetMetadata('checked', 'yes'), UseGuards(MarkGuard))] },
    });
    expect((await rest.call('m.get')).status).toBe(200);
    expect((await rest.call('nope')).status).toBe(404);
    expect(log).toEqual(['method class yes', 'undefined undefined yes']);
    await rest.close();
  });

  it('of the application run first, and its other global enhancers change no reply', async () => {
    @Injectable()
    class Wrapping implements NestInterceptor {
      intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
        return next.handle().pipe(map((data: unknown) => ({ data })));
      }
    }
    @Catch()
    class Everything implements ExceptionFilter {
      catch(): void {
        throw new Error('a global filter saw a capability route');
      }
    }
    @Injectable()
    class Global implements CanActivate {
      canActivate(): boolean {
        log.push('global');
        return true;
      }
    }
    const rest = await startRestApp(adapter, {
      providers: [
        PlainService,
        { provide: APP_INTERCEPTOR, useClass: Wrapping },
        { provide: APP_FILTER, useClass: Everything },
        { provide: APP_GUARD, useClass: Global },
        { provide: APP_PIPE, useValue: new ValidationPipe({ whitelist: true }) },
      ],
    });
    expect((await rest.call('plain.write', {})).text).toBe('"written"');
    expect(log).toEqual(['global', 'ran']);
    expect((await rest.call('plain.write', {}, { as: 'reader' })).json).toMatchObject({
      error: { code: 'FORBIDDEN' },
    });
    expect((await rest.call('plain.write', 'x')).json).toMatchObject({ error: { code: 'VALIDATION' } });
    await rest.close();
  });

  it('answer what an interceptor of the application throws by the error table', async () => {
    @Injectable()
    class Failing implements NestInterceptor {
      intercept(): Observable<unknown> {
        throw new Error('S3CRET');
      }
    }
    const rest = await startRestApp(adapter, {
      providers: [PlainService],
      rest: { decorators: [UseInterceptors(Failing)] },
    });
    const reply = await rest.call('plain.write', {});
    expect([reply.status, reply.json]).toMatchObject([500, { error: { reason: 'INTERNAL' } }]);
    expect(reply.text).not.toContain('S3CRET');
    expect(log).toEqual([]);
    await rest.close();
  });
});

@Injectable()
@CapabilityHost({ namespace: 'plain', expose: ['rest'], risk: 'low', permission: 'docs:write' })
class PlainService {
  @Capability.write({ description: 'Writes.', inputSchema: z.object({}) })
  write(_input: object): string {
    log.push('ran');
    return 'written';
  }
}

@Controller('reports')
class ReportsController {
  @RequirePermission('docs:write')
  @Get('write')
  write(): string {
    return 'w';
  }

  @UseGuards(PrincipalGuard)
  @Get('me')
  me(): string {
    return 'me';
  }

  @Get('free')
  free(): string {
    return 'free';
  }
}

describe.each(ADAPTERS)('ordinary controllers on %s', (adapter) => {
  it('apply the same permission rule with @RequirePermission()', async () => {
    const rest = await startRestApp(adapter, { controllers: [ReportsController] });
    const get = (path: string, as: string | null) => rest.send('GET', `/reports/${path}`, { as });
    expect((await get('write', 'writer')).text).toBe('w');
    const forbidden = await get('write', 'reader');
    expect([forbidden.status, forbidden.json]).toEqual([
      403,
      { error: { code: 'FORBIDDEN', message: 'You are not permitted to do this.', reason: 'FORBIDDEN' } },
    ]);
    const anonymous = await get('write', null);
    expect([anonymous.status, anonymous.headers['www-authenticate']]).toEqual([401, 'Bearer']);
    expect((await get('me', null)).status).toBe(401);
    expect((await get('me', 'reader')).text).toBe('me');
    expect((await get('free', null)).text).toBe('free');
    await rest.close();
  });

  it('let global filters see their refusals, as any HttpException', async () => {
    @Catch(HttpException)
    class Problem implements ExceptionFilter {
      constructor(@Inject(HttpAdapterHost) private readonly host: HttpAdapterHost) {}

      catch(exception: HttpException, host: ArgumentsHost): void {
        const problem = { status: exception.getStatus(), detail: exception.getResponse() };
        this.host.httpAdapter.reply(host.switchToHttp().getResponse(), problem, exception.getStatus());
      }
    }
    const rest = await startRestApp(adapter, {
      controllers: [ReportsController],
      providers: [{ provide: APP_FILTER, useClass: Problem }],
    });
    const reply = await rest.send('GET', '/reports/write', { as: 'reader' });
    expect(reply.json).toMatchObject({ status: 403, detail: { error: { reason: 'FORBIDDEN' } } });
    await rest.close();
  });
});

describe.each(ADAPTERS)('named controllers on %s', (adapter) => {
  it('serve where they are listed, once', async () => {
    const rest = await startRestApp(adapter, {
      providers: [PlainService],
      controllers: [capabilityController(PlainService)],
    });
    expect((await rest.call('plain.write', {})).text).toBe('"written"');
    expect(log).toEqual(['ran']);
    await rest.close();
  });

  it('take part in the OpenAPI document and the guards of others', async () => {
    const rest = await startRestApp(adapter, {
      imports: [KeysModule],
      controllers: [capabilityController(KeysService)],
      capabilities: { transportGuards },
    });
    expect((await rest.call('keys.list', {}, { as: null })).status).toBe(401);
    expect(log).toEqual(['transport']);
    expect((await rest.call('keys.list', {}, ok)).json).toEqual(['a']);
    await rest.close();
  });
});
