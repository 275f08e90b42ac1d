import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { INestApplication, ModuleMetadata } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import {
  CapabilitiesModule,
  type CapabilitiesModuleOptions,
  CapabilityPolicy,
  type PrincipalInput,
  PrincipalResolver,
  type PrincipalSource,
} from 'nest-capabilities';
import { RestSurfaceModule, type RestSurfaceOptions } from 'nest-capabilities/rest';

export const ADAPTERS = ['express', 'fastify'] as const;
export type AdapterName = (typeof ADAPTERS)[number];

/** Permissions of the test identities; the bearer token is the name. */
const USERS: Readonly<Record<string, readonly string[]>> = {
  reader: ['docs:read'],
  writer: ['docs:read', 'docs:write'],
};

export class TestPrincipals extends PrincipalResolver {
  seen: PrincipalSource[] = [];

  resolve(source: PrincipalSource): PrincipalInput | null {
    this.seen.push(source);
    const permissions = source.token === undefined ? undefined : USERS[source.token];
    return permissions === undefined
      ? null
      : { id: source.token!, kind: 'user', user: { id: source.token, permissions } };
  }
}

export class TestPolicy extends CapabilityPolicy {
  userHasPermission(user: unknown, permission: string): boolean {
    return (user as { permissions: readonly string[] }).permissions.includes(permission);
  }
}

export interface RestAppOptions {
  readonly providers?: ModuleMetadata['providers'];
  readonly controllers?: ModuleMetadata['controllers'];
  readonly imports?: ModuleMetadata['imports'];
  readonly capabilities?: CapabilitiesModuleOptions;
  readonly rest?: RestSurfaceOptions;
  /** Runs between create and init, as a `main.ts` would. */
  readonly configure?: (app: INestApplication) => void;
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly json: unknown;
}

export interface RestApp {
  readonly app: INestApplication;
  readonly principals: TestPrincipals;
  send(method: string, path: string, options?: SendOptions): Promise<Reply>;
  /** POST to the default route of a capability, as `writer` unless said otherwise. */
  call(name: string, body?: unknown, options?: SendOptions): Promise<Reply>;
  close(): Promise<void>;
}

export interface SendOptions {
  readonly as?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly signal?: AbortSignal;
}

export async function startRestApp(adapter: AdapterName, options: RestAppOptions): Promise<RestApp> {
  const principals = new TestPrincipals();
  const testing = await Test.createTestingModule({
    imports: [
      CapabilitiesModule.forRoot({
        policy: TestPolicy,
        principals: { useValue: principals },
        ...options.capabilities,
      }),
      RestSurfaceModule.forRoot(options.rest),
      ...(options.imports ?? []),
    ],
    providers: [...(options.providers ?? [])],
    controllers: [...(options.controllers ?? [])],
  }).compile();
  const app =
    adapter === 'express'
      ? testing.createNestApplication({ logger: false })
      : testing.createNestApplication(new FastifyAdapter(), { logger: false });
  options.configure?.(app);
  try {
    await app.listen(0, '127.0.0.1');
  } catch (error) {
    await app.close();
    throw error;
  }
  const { port } = (app.getHttpServer() as { address(): AddressInfo }).address();
  const send: RestApp['send'] = (method, path, sent = {}) => exchange(port, method, path, sent);
  return {
    app,
    principals,
    send,
    call: (name, body, sent = {}) =>
      send('POST', `/capabilities/${name}`, {
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...sent,
        headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...sent.headers },
      }),
    close: () => app.close(),
  };
}

/** One request on a connection of its own: nothing is normalised, no redirect is followed. */
function exchange(port: number, method: string, path: string, options: SendOptions): Promise<Reply> {
  const { as = 'writer', headers = {}, body, signal } = options;
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      host: '127.0.0.1',
      port,
      method,
      path,
      agent: false,
      headers: {
        ...(as === null ? {} : { authorization: `Bearer ${as}` }),
        ...(body === undefined || 'transfer-encoding' in headers
          ? {}
          : { 'content-length': Buffer.byteLength(body) }),
        ...headers,
      },
      ...(signal === undefined ? {} : { signal }),
    });
    request.on('error', reject).on('response', (response) => {
      const chunks: Buffer[] = [];
      response
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('error', reject)
        .on('end', () => {
          const text = Buffer.concat(chunks).toString();
          resolve({ status: response.statusCode!, headers: response.headers, text, json: parsed(text) });
        });
    });
    request.end(body);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
