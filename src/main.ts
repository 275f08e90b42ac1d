import { parseArgs } from 'node:util';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { AppModule } from './app.module.js';
import { deskPort } from './desk-address.js';
import { ADAPTERS, serveOpenApi, type Adapter } from './http-app.js';
import { DemoTokens } from './identity/demo-tokens.js';
import { UserDirectory } from './identity/user-directory.js';
import { startMessage } from './start-message.js';
import { serveOverStdio } from './stdio.js';

const { values: options } = parseArgs({
  options: { adapter: { type: 'string', default: 'express' }, stdio: { type: 'string' } },
});

function chosenAdapter(): Adapter {
  const adapter = ADAPTERS.find((name) => name === options.adapter);
  if (adapter === undefined) throw new TypeError(`--adapter must be one of ${ADAPTERS.join(', ')}.`);
  return adapter;
}

async function start(): Promise<void> {
  const adapter = chosenAdapter() === 'fastify' ? new FastifyAdapter() : new ExpressAdapter();
  const app = await NestFactory.create(AppModule, adapter, {
    logger: ['error', 'warn'],
    routeConflictPolicy: { duplicate: 'error' },
  });
  app.enableShutdownHooks();
  serveOpenApi(app);
  await app.listen(deskPort(), '127.0.0.1');
  console.log(await startMessage(await app.getUrl(), app.get(UserDirectory), app.get(DemoTokens)));
}

await (options.stdio === undefined ? start() : serveOverStdio(options.stdio));
