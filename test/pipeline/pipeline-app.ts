import type { ModuleMetadata } from '@nestjs/common';
import {
  type AuditEvent,
  AuditSink,
  type CapabilitiesModuleOptions,
  ExecutionHook,
  type HookEnd,
  type HookError,
} from 'nest-capabilities';
import { boot } from '../nest/support.js';

/** Keeps what the pipeline told its observers. */
export class CapturedAudit extends AuditSink {
  readonly events: AuditEvent[] = [];
  refuse = false;

  override write(event: AuditEvent): void {
    if (this.refuse && event.type === 'started') throw new Error('audit disk full');
    this.events.push(event);
  }

  types(): readonly string[] {
    return this.events.map((event) => event.type);
  }
}

export class CapturedHooks extends ExecutionHook {
  readonly ends: HookEnd[] = [];
  readonly errors: HookError[] = [];

  override onEnd(event: HookEnd): void {
    this.ends.push(event);
  }

  override onError(event: HookError): void {
    this.errors.push(event);
  }
}

export interface PipelineApp {
  readonly app: Awaited<ReturnType<typeof boot>>;
  readonly audit: CapturedAudit;
  readonly hooks: CapturedHooks;
}

/** Boots hosts with a captured audit and captured hooks. */
export async function bootPipeline(
  metadata: ModuleMetadata,
  options: CapabilitiesModuleOptions = {},
): Promise<PipelineApp> {
  const audit = new CapturedAudit();
  const hooks = new CapturedHooks();
  const app = await boot(metadata, {
    sinks: [{ useValue: audit }],
    hooks: [{ useValue: hooks }],
    ...options,
  });
  return { app, audit, hooks };
}
