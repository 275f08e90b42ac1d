import { NestFactory } from '@nestjs/core';
import { completePrincipal } from 'nest-capabilities';
import { McpSurfaceModule, serveStdio } from 'nest-capabilities/mcp';
import { AppModule } from './app.module.js';
import { DeskPrincipalResolver } from './identity/desk-principal.resolver.js';

/** Serves MCP over standard input and output as one identity of the desk, until the input ends. */
export async function serveOverStdio(identity: string): Promise<void> {
  // Standard output belongs to the protocol.
  const app = await NestFactory.createApplicationContext(AppModule, { logger: false });
  const source = { surface: 'mcp', process: { user: identity } } as const;
  const resolved = await app.get(DeskPrincipalResolver).resolve(source);
  const principal = resolved === null ? undefined : completePrincipal(resolved);
  if (principal === undefined) throw new TypeError(`There is no demo identity ${identity}.`);
  await serveStdio({ endpoint: app.get(McpSurfaceModule).endpoint, principal });
  await app.close();
}
