import { Inject, Injectable, Module, Scope } from '@nestjs/common';
import { NestFactory, REQUEST } from '@nestjs/core';
import {
  ANONYMOUS,
  CapabilitiesModule,
  Capability,
  CapabilityHost,
  CapabilityRunner,
} from 'nest-capabilities';
import { RestSurfaceModule } from 'nest-capabilities/rest';
import { z } from 'zod';
import { ADAPTERS, startRestApp } from './rest-app.js';

@Injectable()
@CapabilityHost({ namespace: 'a', expose: ['rest'], risk: 'low', permission: 'docs:read' })
class AService {
  @Capability.read({ description: 'One.' })
  one(): string {
    return 'one';
  }
}

@Injectable()
@CapabilityHost({ namespace: 'b', expose: ['rest'], risk: 'low', permission: 'docs:read' })
class ShadowingService {
  @Capability.read({ description: 'Same place.', http: { method: 'POST', path: '/capabilities/A.one' } })
  same(): string {
    return 'same';
  }
}

@Injectable({ scope: Scope.REQUEST })
@CapabilityHost({ namespace: 'scoped', expose: ['rest'], risk: 'low', permission: 'docs:read' })
class ScopedService {
  constructor(@Inject(REQUEST) private readonly request: { headers: Record<string, string> }) {}

  @Capability.read({ description: 'Reads its request.', inputSchema: z.object({}) })
  header(_input: object): string | undefined {
    return this.request.headers['x-mark'];
  }
}

@Injectable()
@CapabilityHost({ namespace: 'c', expose: ['direct'], risk: 'low', permission: 'docs:read' })
class DirectService {
  @Capability.read({ description: 'Not here.' })
  one(): string {
    return 'one';
  }
}

describe.each(ADAPTERS)('wiring on %s', (adapter) => {
  it('serves an alias once, a factory, a value and a request-scoped host', async () => {
    const rest = await startRestApp(adapter, {
      providers: [
        { provide: AService, useFactory: () => Promise.resolve(new AService()) },
        { provide: 'ALIAS', useExisting: AService },
        ScopedService,
        DirectService,
      ],
    });
    expect((await rest.call('a.one')).json).toBe('one');
    expect((await rest.call('c.one')).status).toBe(404);
    const marks = await Promise.all(
      ['x', 'y'].map((mark) => rest.call('scoped.header', {}, { headers: { 'x-mark': mark } })),
    );
    expect(marks.map(({ json }) => json)).toEqual(['x', 'y']);
    await rest.close();
  });

  it('serves once when the surface is imported twice alike', async () => {
    @Module({ imports: [RestSurfaceModule.forRoot()] })
    class AgainModule {}
    const rest = await startRestApp(adapter, { imports: [AgainModule], providers: [AService] });
    expect((await rest.call('a.one')).json).toBe('one');
    await rest.close();
  });

  it('refuses to start when it is imported twice with different options', async () => {
    @Module({ imports: [RestSurfaceModule.forRoot({ path: 'other' })] })
    class OtherModule {}
    await expect(startRestApp(adapter, { imports: [OtherModule], providers: [AService] })).rejects.toThrow(
      /RestSurfaceModule.*several times with different options/,
    );
  });

  it('refuses a path that is no literal', async () => {
    await expect(startRestApp(adapter, { providers: [AService], rest: { path: ':x' } })).rejects.toThrow(
      /`path`/,
    );
  });

  it('refuses to start when a capability got no route', async () => {
    const provider = { provide: 'LATE', inject: ['SLOW'], useFactory: () => new AService() };
    const slow = { provide: 'SLOW', useFactory: () => new Promise((resolve) => setTimeout(resolve, 30)) };
    await expect(startRestApp(adapter, { providers: [slow, provider] })).rejects.toThrow(
      /a\.one .*got no route/s,
    );
  });

  it('serves the pipeline as it is without a resolver: everyone is anonymous', async () => {
    @Injectable()
    @CapabilityHost({ namespace: 'o', expose: ['rest'], risk: 'low', permission: null })
    class OpenService {
      @Capability.read({ description: 'Open.' })
      get(): string {
        return 'open';
      }
    }
    const rest = await startRestApp(adapter, {
      providers: [OpenService],
      capabilities: { policy: undefined, principals: undefined },
    });
    expect((await rest.call('o.get', {}, { as: null })).json).toBe('open');
    await rest.close();
  });
});

it('refuses a written route that answers the requests of a default one', async () => {
  await expect(startRestApp('express', { providers: [AService, ShadowingService] })).rejects.toThrow(
    /ROUTE_DUPLICATE/,
  );
});

it('lets an application without HTTP run its capabilities', async () => {
  @Injectable()
  @CapabilityHost({ namespace: 'o', expose: ['rest', 'direct'], risk: 'low', permission: null })
  class OpenService {
    @Capability.read({ description: 'Open.' })
    get(): string {
      return 'open';
    }
  }
  @Module({ imports: [CapabilitiesModule.forRoot(), RestSurfaceModule.forRoot()], providers: [OpenService] })
  class WorkerModule {}
  const worker = await NestFactory.createApplicationContext(WorkerModule, { logger: false });
  const outcome = await worker.get(CapabilityRunner).execute('o.get', {}, { principal: ANONYMOUS });
  expect(outcome).toMatchObject({ status: 'completed', output: 'open' });
  await worker.close();
});
