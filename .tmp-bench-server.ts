import http from 'node:http';
import { NestFactory } from '@nestjs/core';
import { Module } from '@nestjs/common';
import { CapabilitiesModule, Capability, CapabilityHost } from 'nest-capabilities';
import { McpSurfaceModule } from 'nest-capabilities/mcp';
import { z } from 'zod';
const N = Number(process.env.N ?? 100);
const schema = z.object({ a: z.string(), b: z.enum(['x','y']), c: z.int().default(3), d: z.boolean(), e: z.object({ f: z.string() }) });
class Tools {}
for (let i = 0; i < N; i++) {
  Object.defineProperty(Tools.prototype, `t${i}`, { value: function () { return 'ok'; }, writable: true, configurable: true });
  const desc = Object.getOwnPropertyDescriptor(Tools.prototype, `t${i}`)!;
  (Capability.read({ name: `bench.t${i}`, description: 'A benchmark tool number ' + i, inputSchema: schema, outputSchema: z.string() }) as any)(Tools.prototype, `t${i}`, desc);
}
CapabilityHost({ expose: ['mcp'], permission: null, risk: 'low' })(Tools);
class App {}
Module({ imports: [CapabilitiesModule.forRoot({}), McpSurfaceModule.forRoot({ version: '1', anonymous: true })], providers: [Tools] })(App);
if (process.env.ECHO) {
  http.createServer((req, res) => { const c: Buffer[] = []; req.on('data', d => c.push(d)); req.on('end', () => { const m = JSON.parse(Buffer.concat(c).toString()); const body = JSON.stringify({ jsonrpc: '2.0', id: m.id, result: { content: [{ type: 'text', text: 'ok' }] } }); res.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }); res.end(body); }); }).listen(4000, '127.0.0.1', () => console.log('up'));
} else {
  const opts: any = { logger: false };
  let app: any;
  if (process.env.ADAPTER === 'fastify') { const { FastifyAdapter } = await import('@nestjs/platform-fastify'); app = await NestFactory.create(App, new FastifyAdapter(), opts); } else app = await NestFactory.create(App, opts);
  await app.listen(4000, '127.0.0.1'); console.log('up');
}
let last = process.cpuUsage();
process.on('SIGUSR2', () => { const d = process.cpuUsage(last); last = process.cpuUsage(); console.log('cpu', d.user + d.system); });
