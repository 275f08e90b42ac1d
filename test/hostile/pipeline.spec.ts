import 'reflect-metadata';
import { getEventListeners } from 'node:events';
import { Injectable } from '@nestjs/common';
import {
  AuditSink,
  Capability,
  CapabilityHost,
  type CapabilityPolicyRule,
  CapabilityRunner,
  type HandlerContext,
  LimitsPort,
  type LimitLease,
  Telemetry,
  type TelemetrySpan,
} from 'nest-capabilities';
import { IsInt, IsString } from 'class-validator';
import { z } from 'zod';
import { BASE, boot, closeApps, execute, reader, resultOf } from '../nest/support.js';
import { CapturedAudit } from '../pipeline/pipeline-app.js';
import { Rejecting, thenable } from './thenable.js';

afterEach(closeApps);

const hostileProxy = (): object => {
  const fail = (): never => {
    throw new Error('trap');
  };
  return new Proxy(
    {},
    { get: fail, has: fail, getPrototypeOf: fail, ownKeys: fail, getOwnPropertyDescriptor: fail },
  );
};

class ReceiptDto {
  @IsString()
  id!: string;

  @IsInt()
  count!: number;
}

let effects = 0;

@Injectable()
@CapabilityHost({ namespace: 'odd' })
class OddService {
  @Capability({ ...BASE })
  throwsProxy(): void {
    throw hostileProxy() as Error;
  }

  @Capability({ ...BASE, inputSchema: z.object({}), outputSchema: z.unknown() })
  returnsProxy(): unknown {
    return hostileProxy();
  }

  @Capability({ ...BASE, sideEffect: 'write' })
  write(): string {
    effects += 1;
    return 'done';
  }

  @Capability({ ...BASE, sideEffect: 'write', timeoutMs: 60 })
  briefWrite(): string {
    effects += 1;
    return 'done';
  }

  @Capability({ ...BASE, sideEffect: 'write', outputSchema: ReceiptDto })
  receipt(): ReceiptDto {
    effects += 1;
    return Object.assign(new ReceiptDto(), { id: 'r1', count: 1 });
  }

  @Capability({ ...BASE, timeoutMs: 60, limits: { concurrency: 1 } })
  limited(): string {
    effects += 1;
    return 'done';
  }

  @Capability({ ...BASE, timeoutMs: 60 })
  thenable(): unknown {
    const never = new Promise(() => undefined);
    return thenable((resolve) => resolve(never));
  }

  @Capability({
    ...BASE,
    retry: { maxAttempts: 2, backoffMs: 1, retryOn: (async () => false) as never },
  })
  fails(): void {
    effects += 1;
    throw new Error('no');
  }

  @Capability({ ...BASE })
  waits(): Promise<void> {
    return new Promise(() => undefined);
  }

  @Capability({ ...BASE, inputSchema: z.object({}), timeoutMs: 100 })
  async asksTwice(_input: object, context: HandlerContext): Promise<string> {
    const form = { mode: 'form', message: 'Sure?', requestedSchema: { type: 'object', properties: {} } };
    const short = context.elicit!(form as never);
    await new Promise((resolve) => setTimeout(resolve, 60));
    await Promise.all([short, context.elicit!(form as never)]);
    return 'ok';
  }

  @Capability({ ...BASE, timeoutMs: 40 })
  brief(): string {
    return 'ok';
  }
}

const start = (options: Parameters<typeof boot>[1] = {}) => boot({ providers: [OddService] }, options);

beforeEach(() => {
  effects = 0;
});

describe('what a handler may hand over', () => {
  it('masks a thrown proxy whose every trap throws', async () => {
    const outcome = await execute(await start(), 'odd.throwsProxy', { surface: 'rest' });
    expect(resultOf(outcome)).toBe('INTERNAL');
  });
  it('refuses a returned proxy whose every trap throws', async () => {
    const outcome = await execute(await start(), 'odd.returnsProxy', { surface: 'rest' });
    expect(['INTERNAL', 'OUTPUT_INVALID']).toContain(resultOf(outcome));
  });
  it('keeps the deadline for a thenable that settles with a promise that never does', async () => {
    const outcome = await execute(await start(), 'odd.thenable');
    expect(resultOf(outcome)).toBe('TIMEOUT');
  }, 2000);
  it('keeps a DTO output for an idempotency key', async () => {
    const app = await start();
    const first = await execute(app, 'odd.receipt', { idempotencyKey: 'k', surface: 'rest' });
    expect(first).toMatchObject({ status: 'completed', output: { id: 'r1', count: 1 } });
    const second = await execute(app, 'odd.receipt', { idempotencyKey: 'k', surface: 'rest' });
    expect(second).toMatchObject({ status: 'completed', replayed: true, output: { id: 'r1', count: 1 } });
    expect(effects).toBe(1);
  });
  it('takes nothing but true for a yes of retryOn', async () => {
    await execute(await start(), 'odd.fails');
    expect(effects).toBe(1);
  });
});

describe('observers that misbehave', () => {
  class Hanging extends AuditSink {
    override write(): Promise<void> {
      return new Promise(() => undefined);
    }
  }
  it('does not wait beyond the deadline for a sink that never answers', async () => {
    const app = await start({ sinks: [{ useValue: new Hanging() }] });
    const outcome = await execute(app, 'odd.briefWrite');
    expect(resultOf(outcome)).toBe('TIMEOUT');
    expect(effects).toBe(0);
  }, 2000);

  it('catches the rejection of a sink that answers with a thenable', async () => {
    const rejecting = new Rejecting();
    class Late extends AuditSink {
      override write(): Promise<void> {
        return rejecting.promise as never;
      }
    }
    await execute(await start({ sinks: [{ useValue: new Late() }] }), 'odd.brief');
    expect(rejecting.handled).toBeGreaterThan(0);
  });

  it('runs a call once when a span runs its work late or twice', async () => {
    class Late implements TelemetrySpan {
      run<T>(work: () => T): T {
        setImmediate(work as () => void);
        return undefined as T;
      }
      end(): void {}
    }
    class LateTelemetry extends Telemetry {
      start(): TelemetrySpan {
        return new Late();
      }
    }
    const app = await start({ telemetry: LateTelemetry });
    expect(resultOf(await execute(app, 'odd.write'))).toBe('completed');
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(effects).toBe(1);
  });

  it('bounds the span label of a name nobody declared', async () => {
    const labels: string[] = [];
    class Labels extends Telemetry {
      start(span: { readonly capability: string }): TelemetrySpan {
        labels.push(span.capability);
        return { run: (work) => work(), end: () => undefined };
      }
    }
    const app = await start({ telemetry: Labels });
    await execute(app, `made-up-${'x'.repeat(1000)}`);
    await execute(app, `made-up-2`);
    expect(new Set(labels).size).toBe(1);
  });
});

describe('limits that misbehave', () => {
  class Limits extends LimitsPort {
    constructor(
      private readonly onTake: () => LimitLease | Promise<LimitLease>,
      private readonly onRate: () => void | Promise<void> = () => undefined,
    ) {
      super();
    }
    rate(): void | Promise<void> {
      return this.onRate();
    }
    take(): LimitLease | Promise<LimitLease> {
      return this.onTake();
    }
  }

  it('answers and records a completed call whose slot cannot be freed', async () => {
    const audit = new CapturedAudit();
    const limits = new Limits(() => ({
      release: () => {
        throw new Error('redis gone');
      },
    }));
    const app = await start({ limits: { useValue: limits }, sinks: [{ useValue: audit }] });
    expect(resultOf(await execute(app, 'odd.limited'))).toBe('completed');
    expect(audit.types()).toEqual(['requested', 'started', 'completed']);
  });

  it('keeps the deadline while a slot is awaited, and frees one that comes late', async () => {
    let give: (lease: LimitLease) => void = () => undefined;
    let freed = 0;
    const limits = new Limits(() => new Promise<LimitLease>((resolve) => (give = resolve)));
    const app = await start({ limits: { useValue: limits } });
    expect(resultOf(await execute(app, 'odd.limited'))).toBe('TIMEOUT');
    give({ release: () => void (freed += 1) });
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect([effects, freed]).toEqual([0, 1]);
  }, 2000);

  it('keeps the deadline while the rate is counted', async () => {
    const limits = new Limits(
      () => ({ release: () => undefined }),
      () => new Promise(() => undefined),
    );
    const app = await start({ limits: { useValue: limits } });
    expect(resultOf(await execute(app, 'odd.limited'))).toBe('TIMEOUT');
  }, 2000);
});

describe('policies that misbehave', () => {
  it('conceals when the decision of an access policy cannot be read, awaited or not', async () => {
    for (const late of [false, true]) {
      const broken: CapabilityPolicyRule = {
        name: 'broken',
        phase: 'access',
        evaluate: () => {
          const decision = {
            get effect(): 'allow' {
              throw new Error('unreadable');
            },
          };
          return late ? Promise.resolve(decision) : decision;
        },
      };
      const app = await start({ policies: [{ useValue: broken }] as never });
      expect(resultOf(await execute(app, 'odd.write'))).toBe('NOT_FOUND');
    }
    expect(effects).toBe(0);
  });
});

describe('admissions', () => {
  it('refuses the admission of another application', async () => {
    const one = (await start()).get(CapabilityRunner);
    const two = (await start()).get(CapabilityRunner);
    const admission = await one.admit('odd.write', { principal: reader });
    await expect(two.run(admission as never, () => ({}))).rejects.toThrow(TypeError);
    expect(effects).toBe(0);
  });

  it('answers how an admitted call ended before it was run', async () => {
    const runner = (await start()).get(CapabilityRunner);
    const late = await runner.admit('odd.brief', { principal: reader });
    await new Promise((resolve) => setTimeout(resolve, 90));
    expect(resultOf(await runner.run(late as never, () => ({})))).toBe('TIMEOUT');
    const stop = new AbortController();
    const gone = await runner.admit('odd.write', { principal: reader, signal: stop.signal });
    stop.abort();
    expect(resultOf(await runner.run(gone as never, () => ({})))).toBe('CANCELLED');
    expect(effects).toBe(0);
  });
});

describe('many calls', () => {
  it('leaves one listener on a signal that many running calls share, and none afterwards', async () => {
    const app = await start();
    const { signal } = new AbortController();
    const running = Array.from({ length: 60 }, () => execute(app, 'odd.brief', { signal }));
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    await Promise.all(running);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('cancels every running call of a shared signal', async () => {
    const app = await start();
    const stop = new AbortController();
    const running = Array.from({ length: 20 }, () => execute(app, 'odd.waits', { signal: stop.signal }));
    setTimeout(() => stop.abort(), 10);
    const reasons = (await Promise.all(running)).map(resultOf);
    expect(new Set(reasons)).toEqual(new Set(['CANCELLED']));
  });

  it('does not count the time of overlapping waits for a human, and counts again after the last', async () => {
    const app = await start();
    const client = (ms: number): NonNullable<HandlerContext['client']> =>
      ({
        supports: () => true,
        elicit: () => new Promise((resolve) => setTimeout(() => resolve({ action: 'accept' }), ms)),
      }) as unknown as NonNullable<HandlerContext['client']>;
    const asking = await execute(app, 'odd.asksTwice', { channel: { client: client(150) } });
    expect(resultOf(asking)).toBe('completed');
  });
});
