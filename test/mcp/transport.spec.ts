import { request } from 'node:http';
import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { CapabilitiesModule, Capability, CapabilityHost } from 'nest-capabilities';
import { McpSurfaceModule, type McpSurfaceOptions } from 'nest-capabilities/mcp';
import { ADAPTERS, type AdapterName, FixtureModule } from './fixture/fixture-app.js';
import { OpenStream, requestBody, requestHeaders, send } from './support/raw-client.js';

@CapabilityHost({ namespace: 'plain', expose: ['mcp'], risk: 'low', permission: null })
class Plain {
  @Capability.read({ description: 'Says hello.' })
  hello(): string {
    return 'hello';
  }
}

async function start(
  adapter: AdapterName,
  mcp: Partial<McpSurfaceOptions>,
  configure: (app: INestApplication) => void = () => undefined,
): Promise<{ app: INestApplication; url: string }> {
  const testing = await Test.createTestingModule({
    imports: [
      CapabilitiesModule.forRoot({}),
      McpSurfaceModule.forRoot({ version: '1.0.0', anonymous: true, ...mcp }),
    ],
    providers: [Plain],
  }).compile();
  const app =
    adapter === 'fastify'
      ? testing.createNestApplication(new FastifyAdapter())
      : testing.createNestApplication();
  configure(app);
  await app.listen(0, '127.0.0.1');
  return { app, url: `http://127.0.0.1:${new URL(await app.getUrl()).port}/mcp` };
}

/** The status of a list with the given header fields; `fetch` would not send a foreign Host. */
function statusWith(url: string, headers: Readonly<Record<string, string>>): Promise<number | undefined> {
  const body = requestBody('tools/list', {}, {});
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      { method: 'POST', headers: { ...requestHeaders('tools/list', {}, {}), ...headers } },
      (reply) => {
        reply.resume();
        reply.on('end', () => resolve(reply.statusCode));
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

describe.each(ADAPTERS)('the MCP transport on %s', (adapter) => {
  it.each<[string, Partial<McpSurfaceOptions>, Record<string, string>, number]>([
    ['a loopback page', {}, { origin: 'http://localhost:5173' }, 200],
    ['a page of another site', {}, { origin: 'https://app.example.com' }, 403],
    [
      'an allowed page',
      { allowedOrigins: ['https://app.example.com'] },
      { origin: 'https://app.example.com' },
      200,
    ],
    [
      'an allowed host by another scheme',
      { allowedOrigins: ['https://app.example.com'] },
      { origin: 'http://app.example.com' },
      403,
    ],
    [
      'a page whose name only ends alike',
      { allowedOrigins: ['https://example.com'] },
      { origin: 'https://evil-example.com' },
      403,
    ],
    ['an opaque origin', {}, { origin: 'null' }, 403],
    ['a foreign host', {}, { host: 'evil.example.com' }, 403],
    ['an allowed host', { allowedHosts: ['api.example.com'] }, { host: 'API.example.com:8443' }, 200],
    [
      'a host beside the allowed ones',
      { allowedHosts: ['api.example.com'] },
      { host: 'api.example.com.evil.test' },
      403,
    ],
    ['a malformed host', {}, { host: 'localhost/evil' }, 403],
  ])('answers %s by its origin and host (SI-41)', async (_what, options, headers, status) => {
    const { app, url } = await start(adapter, options);
    try {
      expect(await statusWith(url, headers)).toBe(status);
    } finally {
      await app.close();
    }
  });

  it('lets nobody in without credentials unless the endpoint says so', async () => {
    const { app, url } = await start(adapter, { anonymous: false });
    try {
      const reply = await send(url, 'tools/list');

      expect(reply.status).toBe(401);
      expect(reply.headers.get('www-authenticate')).toBe('Bearer');
    } finally {
      await app.close();
    }
  });

  it('keeps the CORS of the application', async () => {
    const origin = 'http://localhost:5173';
    const { app, url } = await start(adapter, {}, (made) =>
      made.enableCors({ origin, exposedHeaders: ['mcp-session-id'] }),
    );
    try {
      const preflight = await fetch(url, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST' },
      });
      const reply = await send(url, 'tools/list', {}, { headers: { origin } });

      expect(preflight.headers.get('access-control-allow-origin')).toBe(origin);
      expect(reply.status).toBe(200);
      expect(reply.headers.get('access-control-allow-origin')).toBe(origin);
    } finally {
      await app.close();
    }
  });

  it('ends listen streams in order when the application closes', async () => {
    const app =
      adapter === 'fastify'
        ? await NestFactory.create(FixtureModule, new FastifyAdapter(), { logger: false })
        : await NestFactory.create(FixtureModule, { logger: false });
    await app.listen(0, '127.0.0.1');
    const url = `http://127.0.0.1:${new URL(await app.getUrl()).port}/mcp`;
    const notifications = { toolsListChanged: true };
    const stream = await OpenStream.open(url, 'subscriptions/listen', { notifications }, { id: 'l' });
    await stream.next();
    const closing = app.close();
    const last = await stream.next();

    expect(last).toMatchObject({
      id: 'l',
      result: { resultType: 'complete', _meta: { 'io.modelcontextprotocol/subscriptionId': 'l' } },
    });
    expect(await stream.next()).toBeUndefined();
    await closing;
  });
});
