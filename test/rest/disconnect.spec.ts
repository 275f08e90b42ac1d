import { Injectable } from '@nestjs/common';
import {
  Capability,
  CapabilityHost,
  type AuditEvent,
  AuditSink,
  type HandlerContext,
} from 'nest-capabilities';
import { z } from 'zod';
import { ADAPTERS, startRestApp } from './rest-app.js';

let entered: () => void;
let aborted: Promise<unknown>;
let settle: (reason: unknown) => void;

@Injectable()
@CapabilityHost({ namespace: 'slow', expose: ['rest'], risk: 'low', permission: 'docs:read' })
class SlowService {
  @Capability.read({ description: 'Waits until aborted.', inputSchema: z.object({}), timeoutMs: 5_000 })
  async wait(_input: object, ctx: HandlerContext): Promise<void> {
    entered();
    await new Promise<void>((resolve) => {
      ctx.signal.addEventListener('abort', () => {
        settle((ctx.signal.reason as { reason: string }).reason);
        resolve();
      });
    });
  }

  @Capability.read({ description: 'Too slow.', inputSchema: z.object({}), timeoutMs: 50 })
  async late(_input: object, ctx: HandlerContext): Promise<void> {
    await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve()));
  }
}

class Recorded extends AuditSink {
  readonly events: AuditEvent[] = [];
  write(event: AuditEvent): void {
    this.events.push(event);
  }
}

describe.each(ADAPTERS)('a client that leaves on %s', (adapter) => {
  beforeEach(() => {
    aborted = new Promise((resolve) => (settle = resolve));
  });

  it('aborts the signal of the call, which ends cancelled in the audit (SI-16)', async () => {
    const sink = new Recorded();
    const rest = await startRestApp(adapter, {
      providers: [SlowService],
      capabilities: { sinks: [{ useValue: sink }] },
    });
    const client = new AbortController();
    entered = () => client.abort();
    await expect(rest.call('slow.wait', {}, { signal: client.signal })).rejects.toThrow(/abort/i);
    expect(await aborted).toBe('CANCELLED');
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(sink.events.map(({ type }) => type)).toEqual(['requested', 'started', 'cancelled']);
    await rest.close();
  });

  it('changes nothing for who stays: a deadline answers 504', async () => {
    const rest = await startRestApp(adapter, { providers: [SlowService] });
    const reply = await rest.call('slow.late', {});
    expect([reply.status, reply.json]).toMatchObject([504, { error: { reason: 'TIMEOUT' } }]);
    await rest.close();
  });
});
