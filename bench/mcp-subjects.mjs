// One MCP server each, with the same tools. Every subject is started in a process of its own.
import { createServer } from 'node:http';
import 'reflect-metadata';
import { Body, Controller, HttpCode, Injectable, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { CapabilitiesModule, Capability, CapabilityHost } from 'nest-capabilities';
import { McpSurfaceModule } from 'nest-capabilities/mcp';
import { z } from 'zod';
import { peer } from './mcp-peers.mjs';

const LOOPBACK = '127.0.0.1';
const DESCRIPTION = 'Finds orders by customer, state and date, newest first.';

/** Five properties: string, enum, integer with default, boolean, nested object. */
const inputOf = (zod) =>
  zod.object({
    customer: zod.string().describe('Customer id.'),
    state: zod.enum(['open', 'shipped', 'cancelled']),
    limit: zod.number().int().min(1).max(50).default(20),
    archived: zod.boolean().optional(),
    placed: zod.object({ from: zod.string(), to: zod.string() }).optional(),
  });

const answer = (input) => ({ customer: input.customer, orders: input.limit });
const toolName = (index) => `bench_tool${index}`;
const indexes = (count) => Array.from({ length: count }, (_, index) => index);

function decorate(target, key, decorator) {
  decorator(target, key, Object.getOwnPropertyDescriptor(target, key));
}

function method(Host, key) {
  Object.defineProperty(Host.prototype, key, {
    value: (input) => answer(input),
    writable: true,
    configurable: true,
  });
}

async function ours(count, adapter) {
  class Host {}
  for (const index of indexes(count)) {
    const key = `tool${index}`;
    method(Host, key);
    const inputSchema = inputOf(z);
    decorate(
      Host.prototype,
      key,
      Capability.read({ name: `bench.tool${index}`, description: DESCRIPTION, inputSchema }),
    );
  }
  CapabilityHost({ expose: ['mcp'], risk: 'low', permission: null })(Host);
  Injectable()(Host);
  class BenchModule {}
  const imports = [
    CapabilitiesModule.forRoot({}),
    McpSurfaceModule.forRoot({ version: '1.0.0', anonymous: true }),
  ];
  Module({ imports, providers: [Host] })(BenchModule);
  const app = await NestFactory.create(BenchModule, ...adapter, { logger: ['error'] });
  await app.listen(0, LOOPBACK);
  return app.getHttpServer().address().port;
}

async function mcpNest(count) {
  const nest = await peer('@nestjs/common');
  const { NestFactory: Factory } = await peer('@nestjs/core');
  const { McpController, McpStrategy, StreamableHttpTransport, Tool } = await peer('@rekog/mcp-nest');
  const { z: zod } = await peer('zod');
  class Host {}
  for (const index of indexes(count)) {
    const key = `tool${index}`;
    method(Host, key);
    const options = { name: toolName(index), description: DESCRIPTION, parameters: inputOf(zod) };
    decorate(Host.prototype, key, Tool(options));
  }
  McpController()(Host);
  const strategy = new McpStrategy({
    name: 'bench',
    version: '1.0.0',
    transports: [new StreamableHttpTransport()],
  });
  class BenchModule {}
  nest.Module({ controllers: [Host] })(BenchModule);
  const app = await Factory.create(BenchModule, { logger: ['error'] });
  strategy.setHttpAdapter(app.getHttpAdapter());
  app.connectMicroservice({ strategy });
  await app.startAllMicroservices();
  await app.listen(0, LOOPBACK);
  return app.getHttpServer().address().port;
}

async function sdkHandler(count) {
  const { createMcpHandler, McpServer } = await peer('@modelcontextprotocol/server');
  const { toNodeHandler } = await peer('@modelcontextprotocol/node');
  const { z: zod } = await peer('zod');
  const schemas = indexes(count).map(() => inputOf(zod));
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'bench', version: '1.0.0' });
    for (const [index, inputSchema] of schemas.entries()) {
      server.registerTool(toolName(index), { description: DESCRIPTION, inputSchema }, (input) => {
        const output = answer(input);
        return { content: [{ type: 'text', text: JSON.stringify(output) }], structuredContent: output };
      });
    }
    return server;
  });
  const serve = toNodeHandler(handler);
  return listen(createServer((request, response) => void serve(request, response)));
}

/** The floor: reads the body, parses it, and answers a constant. */
function echo() {
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const { id } = JSON.parse(Buffer.concat(chunks).toString());
      const body = JSON.stringify({
        jsonrpc: '2.0',
        id,
        result: { content: [{ type: 'text', text: 'ok' }] },
      });
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      });
      response.end(body);
    });
  });
  return listen(server);
}

/** The floor of a framework: a Nest controller that answers the same constant. */
async function nestEcho(adapter) {
  class EchoController {
    echo({ id }) {
      return { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'ok' }] } };
    }
  }
  Body()(EchoController.prototype, 'echo', 0);
  decorate(EchoController.prototype, 'echo', Post());
  decorate(EchoController.prototype, 'echo', HttpCode(200));
  Controller('mcp')(EchoController);
  class EchoModule {}
  Module({ controllers: [EchoController] })(EchoModule);
  const app = await NestFactory.create(EchoModule, ...adapter, { logger: ['error'] });
  await app.listen(0, LOOPBACK);
  return app.getHttpServer().address().port;
}

function listen(server) {
  return new Promise((resolve) => server.listen(0, LOOPBACK, () => resolve(server.address().port)));
}

/** Subjects by name: each starts a server with so many tools and gives its port. */
export const SUBJECTS = {
  'node:http echo': { start: echo },
  'Nest on Express, echo': { start: () => nestEcho([]) },
  'Nest on Fastify, echo': { start: () => nestEcho([new FastifyAdapter()]) },
  'nest-capabilities, Express': { start: (count) => ours(count, []) },
  'nest-capabilities, Fastify': { start: (count) => ours(count, [new FastifyAdapter()]) },
  '@rekog/mcp-nest, Express': { start: mcpNest, peer: true },
  'SDK createMcpHandler + McpServer': { start: sdkHandler, peer: true },
};
