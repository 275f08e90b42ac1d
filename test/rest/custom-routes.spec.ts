import {
  Body,
  Controller,
  Get,
  HttpCode,
  Injectable,
  Post,
  VERSION_NEUTRAL,
  VersioningType,
} from '@nestjs/common';
import { RouterModule } from '@nestjs/core';
import { Module } from '@nestjs/common';
import { Capability, CapabilityHost } from 'nest-capabilities';
import { z } from 'zod';
import { ADAPTERS, type RestApp, startRestApp } from './rest-app.js';

let last: unknown;

@Injectable()
@CapabilityHost({ namespace: 'orders', expose: ['rest'], risk: 'low', permission: 'docs:read' })
class OrdersService {
  @Capability.read({
    description: 'Finds orders.',
    http: { method: 'GET', path: '/orders/:customer' },
    inputSchema: z.object({
      customer: z.string(),
      limit: z.number().int().optional(),
      ratio: z.number().optional(),
      open: z.boolean().optional(),
      tags: z.array(z.string()).optional(),
      ids: z.array(z.number()).optional(),
      since: z.date().optional(),
      big: z.bigint().optional(),
      page: z.number().nullable().optional(),
      state: z.enum(['new', 'paid']).optional(),
    }),
  })
  find(input: unknown): unknown {
    last = input;
    return null;
  }

  @Capability.read({
    description: 'Summary: a literal beside a parameter.',
    http: { method: 'GET', path: '/orders/summary' },
  })
  summary(): string {
    return 'summary';
  }

  @Capability.write({
    description: 'Moves a booking.',
    http: { method: 'PUT', path: '/bookings/:from/:to' },
    inputSchema: z
      .object({ from: z.number(), to: z.number(), note: z.string().optional() })
      .superRefine((value, context) => {
        if (value.from > value.to)
          context.addIssue({ code: 'custom', path: ['to'], message: 'to must be >= from' });
      }),
  })
  move(input: unknown): unknown {
    last = input;
    return input;
  }
}

describe.each(ADAPTERS)('custom routes on %s', (adapter) => {
  let rest: RestApp;
  const get = (path: string) => rest.send('GET', path);
  const put = (path: string, body: unknown) =>
    rest.send('PUT', path, { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });

  beforeAll(async () => {
    rest = await startRestApp(adapter, { providers: [OrdersService] });
  });
  afterAll(() => rest?.close());
  beforeEach(() => (last = undefined));

  it('decodes path and query by the type of each property', async () => {
    const query =
      'limit=5&ratio=-1.5e1&open=true&tags=a&tags=b%26c&ids=7&big=12345678901234567890&page=2&state=paid';
    const reply = await get(`/orders/caf%C3%A9%2Fx?${query}&since=2026-01-02T03:04:05.000Z`);
    expect(reply.status).toBe(200);
    expect(last).toEqual({
      customer: 'café/x',
      limit: 5,
      ratio: -15,
      open: true,
      tags: ['a', 'b&c'],
      ids: [7],
      since: new Date('2026-01-02T03:04:05.000Z'),
      big: 12345678901234567890n,
      page: 2,
      state: 'paid',
    });
  });

  it.each([
    ['limit=', 'limit'],
    ['limit=05', 'limit'],
    ['limit=0x10', 'limit'],
    ['limit=9007199254740993', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['open=1', 'open'],
    ['open=TRUE', 'open'],
    ['ids=x', 'ids.0'],
    ['since=soon', 'since'],
    ['state=old', 'state'],
    ['unknown=1', 'unknown'],
    ['tags[]=a', 'tags[]'],
    ['customer=other', 'customer'],
    ['__proto__=1', '__proto__'],
  ])('refuses ?%s naming %s', async (query, field) => {
    const reply = await get(`/orders/c1?${query}`);
    expect([reply.status, reply.json]).toMatchObject([400, { error: { reason: 'INPUT_INVALID', field } }]);
    expect(last).toBeUndefined();
  });

  it.each(['tags=%ff', 'tags=%zz', 'tags=%00'])('refuses ?%s', async (query) => {
    expect((await get(`/orders/c1?${query}`)).status).toBe(400);
  });

  it('takes a plus for a space and text that looks like JSON for text', async () => {
    await get(`/orders/c1?tags=a+b&tags=${encodeURIComponent('["x"]')}`);
    expect(last).toEqual({ customer: 'c1', tags: ['a b', '["x"]'] });
  });

  it('refuses a body on GET', async () => {
    const reply = await rest.send('GET', '/orders/c1', {
      body: '{"limit":1}',
      headers: { 'content-type': 'application/json' },
    });
    expect(reply.status).toBe(400);
    expect(last).toBeUndefined();
  });

  it('answers a literal path before a parameter', async () => {
    expect((await get('/orders/summary')).json).toBe('summary');
  });

  it('parses path and body as one input, cross-field checks included', async () => {
    expect((await put('/bookings/1/2', { note: 'n' })).json).toEqual({ from: 1, to: 2, note: 'n' });
    const reply = await put('/bookings/2/1', {});
    expect([reply.status, reply.json]).toMatchObject([400, { error: { field: 'to' } }]);
    expect(reply.text).toContain('to must be >= from');
  });

  it('names a path parameter that does not fit', async () => {
    expect((await put('/bookings/x/2', {})).json).toMatchObject({ error: { field: 'from' } });
  });

  it('reads a path parameter nowhere else', async () => {
    expect((await put('/bookings/1/2', { from: 9 })).json).toMatchObject({ error: { field: 'from' } });
    expect((await put('/bookings/1/2', [])).status).toBe(400);
  });

  it('serves them at their own path only', async () => {
    expect((await rest.call('orders.summary')).status).toBe(404);
  });
});

@Injectable()
@CapabilityHost({ namespace: 'v', expose: ['rest'], risk: 'low', permission: 'docs:read' })
class VersionedService {
  @Capability.read({
    description: 'The second.',
    http: { version: '2' },
    inputSchema: z.object({ a: z.string() }),
  })
  two(input: { a: string }): unknown {
    return { two: input.a };
  }

  @Capability.read({ description: 'Any.', inputSchema: z.object({ a: z.string() }) })
  any(input: { a: string }): unknown {
    return { any: input.a };
  }
}

@Controller('plain')
class PlainController {
  @Get()
  get(): string {
    return 'plain';
  }

  @Post()
  @HttpCode(200)
  post(@Body() body: unknown): unknown {
    return body;
  }
}

const body = { body: '{"a":"x"}', headers: { 'content-type': 'application/json' } };
const xml = { body: '<a/>', headers: { 'content-type': 'application/xml' } };

describe.each(ADAPTERS)('prefix and versions on %s', (adapter) => {
  it('follow a global prefix and URI versions', async () => {
    const rest = await startRestApp(adapter, {
      providers: [VersionedService],
      controllers: [PlainController],
      rest: { path: 'tools/run' },
      configure: (app) => {
        app.setGlobalPrefix('api');
        app.enableVersioning({ type: VersioningType.URI, defaultVersion: ['1', VERSION_NEUTRAL] });
      },
    });
    const post = (path: string, options = body) => rest.send('POST', path, options);
    expect((await post('/api/v2/tools/run/v.two')).json).toEqual({ two: 'x' });
    expect((await post('/api/v1/tools/run/v.any')).json).toEqual({ any: 'x' });
    expect((await post('/api/tools/run/v.any')).json).toEqual({ any: 'x' });
    expect((await post('/api/v2/tools/run/v.two', xml)).status).toBe(415);
    expect((await post('/api/v1/plain')).json).toEqual({ a: 'x' });
    for (const path of ['/api/v2/tools/run/nope', '/api/v1/tools/run/v.two', '/api/tools/run/nope']) {
      expect((await post(path, xml)).text).toContain('"reason":"NOT_FOUND"');
    }
    expect((await post('/tools/run/v.any')).status).toBe(404);
    await rest.close();
  });

  it('follow header versions', async () => {
    const rest = await startRestApp(adapter, {
      providers: [VersionedService],
      configure: (app) =>
        app.enableVersioning({
          type: VersioningType.HEADER,
          header: 'x-version',
          defaultVersion: VERSION_NEUTRAL,
        }),
    });
    const call = (name: string, version: string, options = body) =>
      rest.send('POST', `/capabilities/${name}`, {
        ...options,
        headers: { ...options.headers, 'x-version': version },
      });
    expect((await call('v.two', '2')).json).toEqual({ two: 'x' });
    expect((await call('v.two', '2', xml)).status).toBe(415);
    expect((await call('v.any', '7')).json).toEqual({ any: 'x' });
    expect((await call('v.two', '1', xml)).text).toContain('"reason":"NOT_FOUND"');
    await rest.close();
  });

  it('follow the path that RouterModule gives the host', async () => {
    @Module({ providers: [VersionedService] })
    class AdminModule {}
    @Module({})
    class LaterModule {}
    const rest = await startRestApp(adapter, {
      imports: [AdminModule, RouterModule.register([{ path: 'admin', module: AdminModule }]), LaterModule],
    });
    expect((await rest.send('POST', '/admin/capabilities/v.any', body)).json).toEqual({ any: 'x' });
    expect((await rest.send('POST', '/admin/capabilities/nope', xml)).text).toContain('"reason":"NOT_FOUND"');
    expect((await rest.send('POST', '/capabilities/v.any', xml)).text).toContain('"reason":"NOT_FOUND"');
    await rest.close();
  });
});
