import type { INestApplication, LoggerService, Type } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { CapabilityRegistry } from 'nest-capabilities';
import { DeskData } from '../../src/data/desk-data.js';
import { openApiDocument, type Adapter } from '../../src/http-app.js';
import { DemoTokens } from '../../src/identity/demo-tokens.js';
import { UserDirectory } from '../../src/identity/user-directory.js';
import { freePort } from '../mcp/support/run-script.js';
import { ResponseValidator } from '../support/response-validator.js';

// The desk must know its address before it is declared; it is declared once for each test file.
const PORT = String(await freePort());
process.env['PORT'] = PORT;
const { AppModule } = await import('../../src/app.module.js');

export interface Reply {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

export interface ErrorBody {
  readonly error: { readonly reason: string; readonly field?: string; readonly message: string };
}

/** The demo application, listening on a free port, with the tokens of its identities. */
export class RunningDesk {
  /** Responses that the application's own document does not describe, of the whole run. */
  readonly undocumented: string[] = [];
  readonly registry: CapabilityRegistry;
  readonly data: DeskData;
  readonly document: OpenAPIObject;
  private readonly validator: ResponseValidator;
  private readonly tokens = new Map<string, string>();

  private constructor(
    private readonly app: INestApplication,
    readonly url: string,
    /** What the application logged as errors. */
    readonly logged: readonly string[],
  ) {
    this.registry = app.get(CapabilityRegistry);
    this.data = app.get(DeskData);
    this.document = openApiDocument(app);
    this.validator = new ResponseValidator(this.document);
  }

  /** Starts the demo with more modules beside it. */
  static async start(adapter: Adapter, modules: readonly Type[] = []): Promise<RunningDesk> {
    @Module({ imports: [AppModule, ...modules] })
    class TestModule {}
    process.env['DESK_DATA'] = 'memory';
    const logged: string[] = [];
    const app = await NestFactory.create(
      TestModule,
      adapter === 'fastify' ? new FastifyAdapter() : new ExpressAdapter(),
      {
        logger: capturing(logged),
        abortOnError: false,
      },
    );
    await app.listen(PORT, '127.0.0.1');
    const desk = new RunningDesk(app, await app.getUrl(), logged);
    for (const user of app.get(UserDirectory).all()) {
      desk.tokens.set(user.id, await app.get(DemoTokens).tokenFor(user));
    }
    return desk;
  }

  token(who: string): string {
    const token = this.tokens.get(who);
    if (token === undefined) throw new Error(`no demo identity ${who}`);
    return token;
  }

  /** Another token of an identity, with other claims. */
  mint(who: string, claims: Readonly<Record<string, unknown>> = {}): Promise<string> {
    return this.app.get(DemoTokens).tokenFor(this.app.get(UserDirectory).find(who)!, claims);
  }

  close(): Promise<void> {
    return this.app.close();
  }

  /** One raw HTTP call; `who` null sends no token. */
  async http(who: string | null, method: string, path: string, init: RequestInit = {}): Promise<Reply> {
    const headers = new Headers(init.headers);
    headers.set('connection', 'close');
    if (who !== null) headers.set('authorization', `Bearer ${this.token(who)}`);
    const response = await fetch(`${this.url}${path}`, { ...init, method, headers });
    return { status: response.status, text: await response.text(), headers: response.headers };
  }

  /** Calls a capability where its route is, and checks the response against the document. */
  async call(who: string | null, name: string, input: Readonly<Record<string, unknown>>): Promise<Reply> {
    const { method, template } = this.route(name);
    const rest: Record<string, unknown> = { ...input };
    const path = template.replaceAll(/\{(\w+)\}/g, (_match, field: string) => {
      const value = rest[field];
      delete rest[field];
      return encodeURIComponent(typeof value === 'string' ? value : 'missing');
    });
    const query =
      method === 'GET' ? `?${new URLSearchParams(rest as Record<string, string>).toString()}` : '';
    const init =
      method === 'GET' ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(rest) };
    const reply = await this.http(who, method, `${path}${query}`, init);
    this.undocumented.push(...this.validator.problems(method, template, reply.status, reply.text));
    return reply;
  }

  /** Every capability operation of the document, by name. */
  operations(): Map<string, { method: string; template: string }> {
    const found = new Map<string, { method: string; template: string }>();
    for (const [template, item] of Object.entries(this.document.paths)) {
      for (const [method, operation] of Object.entries(
        item as Record<string, { 'x-capability'?: unknown }>,
      )) {
        const name = operation['x-capability'];
        if (typeof name === 'string') found.set(name, { method: method.toUpperCase(), template });
      }
    }
    return found;
  }

  private route(name: string): { method: string; template: string } {
    const route = this.operations().get(name);
    if (route === undefined) throw new Error(`${name} is not in the document`);
    return route;
  }
}

function capturing(lines: string[]): LoggerService {
  const keep = (...parts: unknown[]): void => void lines.push(parts.map((part) => text(part)).join(' '));
  return { log: () => undefined, warn: () => undefined, error: keep, fatal: keep };
}

const text = (part: unknown): string => (typeof part === 'string' ? part : JSON.stringify(part));

/** The error envelope of a reply. */
export const errorOf = (reply: Reply): ErrorBody['error'] => (JSON.parse(reply.text) as ErrorBody).error;
