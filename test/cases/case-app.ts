import type { AddressInfo } from 'node:net';
import type { DynamicModule, INestApplication, LoggerService, ModuleMetadata } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import {
  type AuditEvent,
  AuditSink,
  CapabilitiesModule,
  type CapabilitiesModuleOptions,
} from 'nest-capabilities';
import { AssistantSurfaceModule, PROVIDERS } from 'nest-capabilities/assistant';
import { ApprovalResumeTool, McpSurfaceModule, type McpSurfaceOptions } from 'nest-capabilities/mcp';
import { MemoryCapabilityStore } from 'nest-capabilities/memory';
import { RestSurfaceModule } from 'nest-capabilities/rest';
import { CasePolicy, CasePrincipals } from './fixtures.js';

export const ADAPTERS = ['express', 'fastify'] as const;
export type AdapterName = (typeof ADAPTERS)[number];

type Imports = NonNullable<ModuleMetadata['imports']>;

/** The application of one check. */
export interface CaseSetup {
  readonly providers?: ModuleMetadata['providers'];
  readonly controllers?: ModuleMetadata['controllers'];
  /** Further modules; `again` imports the capabilities module once more. */
  readonly imports?: (again: () => DynamicModule) => Imports;
  readonly options?: CapabilitiesModuleOptions;
  /** Of the MCP endpoint, which lets anonymous callers in unless told otherwise. */
  readonly mcp?: Partial<McpSurfaceOptions>;
  /** Default: a free one. */
  readonly port?: number;
}

/** A running application with every surface, listening on loopback. */
export interface CaseApp {
  readonly app: INestApplication;
  readonly url: string;
  /** Everything that was logged, at the default level. */
  readonly log: CapturedLog;
  readonly audit: CapturedAudit;
}

export class CapturedAudit extends AuditSink {
  readonly events: AuditEvent[] = [];

  write(event: AuditEvent): void {
    this.events.push(event);
  }
}

export class CapturedLog implements LoggerService {
  readonly lines: string[] = [];

  log(...message: unknown[]): void {
    this.keep(message);
  }

  warn(...message: unknown[]): void {
    this.keep(message);
  }

  error(...message: unknown[]): void {
    this.keep(message);
  }

  private keep(message: readonly unknown[]): void {
    this.lines.push(message.map((part) => (part instanceof Error ? part.stack : String(part))).join(' '));
  }
}

/** Boots an application; rejects as the boot does, and leaves nothing open then. */
export async function startCaseApp(adapter: AdapterName, setup: CaseSetup): Promise<CaseApp> {
  const log = new CapturedLog();
  const audit = new CapturedAudit();
  const options: CapabilitiesModuleOptions = {
    policy: CasePolicy,
    principals: CasePrincipals,
    store: MemoryCapabilityStore,
    sinks: [{ useValue: audit }],
    ...setup.options,
  };
  const capabilities = (): DynamicModule => CapabilitiesModule.forRoot(options);
  const testing = await Test.createTestingModule({
    imports: [
      capabilities(),
      RestSurfaceModule.forRoot(),
      McpSurfaceModule.forRoot({ version: '1.0.0', anonymous: true, ...setup.mcp }),
      // Every case's schemas keep every provider's documented limits, or the boot fails.
      AssistantSurfaceModule.forRoot({ providers: PROVIDERS }),
      ...(setup.imports?.(capabilities) ?? []),
    ],
    providers: [...(setup.providers ?? []), ApprovalResumeTool],
    controllers: [...(setup.controllers ?? [])],
  })
    .setLogger(log)
    .compile();
  const app =
    adapter === 'express'
      ? testing.createNestApplication({ logger: log })
      : testing.createNestApplication(new FastifyAdapter(), { logger: log });
  try {
    await app.listen(setup.port ?? 0, '127.0.0.1');
  } catch (error) {
    await app.close();
    throw error;
  }
  const { port } = (app.getHttpServer() as { address(): AddressInfo }).address();
  return { app, url: `http://127.0.0.1:${port}`, log, audit };
}
