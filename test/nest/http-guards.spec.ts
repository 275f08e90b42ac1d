import {
  type CanActivate,
  type ExecutionContext,
  Injectable,
  type INestApplication,
  type Type,
  UnauthorizedException,
  UseGuards,
} from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { ExpressAdapter } from '@nestjs/platform-express';
import { Test } from '@nestjs/testing';
import { CapabilitiesModule, Capability, CapabilityRunner } from 'nest-capabilities';
import { RestSurfaceModule } from 'nest-capabilities/rest';
import { BASE, resultOf } from './support.js';

const runs: string[] = [];
beforeEach(() => void runs.splice(0));

const marked = (name: string): Type<CanActivate> =>
  class implements CanActivate {
    canActivate(context: ExecutionContext): boolean {
      runs.push(`${name}:${context.getType()}`);
      return true;
    }
  };

@Injectable()
class Authenticates implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    runs.push(`transport:${context.getType()}`);
    const { headers } = context.switchToHttp().getRequest<{ headers: Record<string, string> }>();
    if (headers['x-key'] !== 'k') throw new UnauthorizedException();
    return true;
  }
}

@Injectable()
@UseGuards(marked('class'))
class Service {
  @UseGuards(Authenticates, marked('method'))
  @Capability({ ...BASE, name: 'act', permission: null })
  act() {
    runs.push('handler');
    return { ok: true };
  }
}

const adapters = { express: () => new ExpressAdapter(), fastify: () => new FastifyAdapter() };

describe.each(['express', 'fastify'] as const)('guards over HTTP on %s', (adapter) => {
  let app: INestApplication;
  let url: string;

  beforeAll(async () => {
    const compiled = await Test.createTestingModule({
      imports: [
        CapabilitiesModule.forRoot({ guards: [marked('pipeline')], transportGuards: [Authenticates] }),
        RestSurfaceModule.forRoot(),
      ],
      providers: [Service, { provide: APP_GUARD, useClass: marked('global') }],
    }).compile();
    app = compiled.createNestApplication(adapters[adapter]());
    await app.listen(0, '127.0.0.1');
    url = `${await app.getUrl()}/capabilities/act`;
  });
  afterAll(() => app.close());

  it('run once each: those of the transport by Nest, the others in the pipeline', async () => {
    const response = await fetch(url, { method: 'POST', headers: { 'x-key': 'k' } });
    expect(response.status).toBe(200);
    expect(runs).toEqual([
      'global:http',
      'transport:http',
      'pipeline:capability',
      'class:capability',
      'method:capability',
      'handler',
    ]);
  });

  it('refuse before anything of the pipeline when the transport does', async () => {
    const response = await fetch(url, { method: 'POST' });
    expect(response.status).toBe(401);
    expect(runs).toEqual(['global:http', 'transport:http']);
  });

  it('leave the transport alone elsewhere', async () => {
    const outcome = await app
      .get(CapabilityRunner)
      .execute('act', {}, { principal: { id: 'j', kind: 'service', user: null }, surface: 'jobs' });
    expect(resultOf(outcome)).toBe('completed');
    expect(runs).toEqual([
      'global:capability',
      'pipeline:capability',
      'class:capability',
      'method:capability',
      'handler',
    ]);
  });
});
