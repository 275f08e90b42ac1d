import type { HttpAdapterHost } from '@nestjs/core';
import { type ExpressApplication, expressBodyReader } from './express-body-reader.js';
import { type FastifyApplication, installFastifyBodyReader } from './fastify-body-reader.js';

/**
 * Installs the body reader on the application's adapter: on Express as middleware before Nest's parsers, on
 * Fastify as hooks. Other adapters get none, and requests with a body are refused on them.
 */
export class BodyReader {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly limit: number,
  ) {}

  /** As soon as the adapter is known. */
  onAdapter(): void {
    const adapter = this.host.httpAdapter;
    // An application context without HTTP has no adapter.
    if (adapter?.getType() !== 'express') return;
    adapter.use(expressBodyReader(adapter.getInstance<ExpressApplication>(), this.limit));
  }

  /** After every route is registered. */
  onModuleInit(): void {
    const adapter = this.host.httpAdapter;
    if (adapter?.getType() !== 'fastify') return;
    installFastifyBodyReader(adapter.getInstance<FastifyApplication>(), this.limit);
  }
}
