import 'reflect-metadata';
import { Injectable } from '@nestjs/common';
import {
  Capability,
  CapabilityHost,
  type PrincipalInput,
  PrincipalResolver,
  Telemetry,
  type TelemetrySpan,
} from 'nest-capabilities';
import { z } from 'zod';
import { BASE, boot, closeApps, execute, reader, resultOf } from '../nest/support.js';
import { Rejecting } from './thenable.js';

afterEach(closeApps);

let next: unknown;
let rejecting: Rejecting;
const give = (): never => rejecting.promise as never;

@Injectable()
@CapabilityHost({ namespace: 'out' })
class Outputs {
  @Capability({ ...BASE })
  any(): unknown {
    return next;
  }

  @Capability({ ...BASE, outputSchema: z.object({ id: z.string(), when: z.date(), n: z.bigint() }) })
  typed(): never {
    return next as never;
  }

  @Capability({ ...BASE, redact: { output: give } })
  redactsLate(): string {
    return 'S3CRET';
  }

  @Capability({ ...BASE, outputSchema: z.string(), cites: give })
  citesLate(): string {
    return 'S3CRET';
  }

  @Capability({ ...BASE, sideEffect: 'write', approval: { required: true }, redact: { approvalInput: give } })
  hidesLate(): string {
    return 'S3CRET';
  }

  @Capability({ ...BASE, sideEffect: 'write', approval: { required: true }, describe: give })
  describesLate(): string {
    return 'S3CRET';
  }

  @Capability({ ...BASE, retry: { maxAttempts: 1, retryOn: give } })
  retriesLate(): string {
    throw new Error('no');
  }
}

class People extends PrincipalResolver {
  resolve(): null {
    return null;
  }
  override reload(): PrincipalInput {
    return reader;
  }
}

const start = (options: Parameters<typeof boot>[1] = {}) =>
  boot({ providers: [Outputs] }, { principals: People, ...options });

beforeEach(() => {
  rejecting = new Rejecting();
});

describe('functions that must answer at once and answer with a promise', () => {
  it.each([
    ['out.redactsLate', 'OUTPUT_INVALID'],
    ['out.citesLate', 'OUTPUT_INVALID'],
    ['out.hidesLate', 'INTERNAL'],
    ['out.describesLate', 'INTERNAL'],
    ['out.retriesLate', 'INTERNAL'],
  ])('%s fails closed, and its rejection crashes nothing', async (name, reason) => {
    const outcome = await execute(await start(), name);
    expect(resultOf(outcome)).toBe(reason);
    expect(rejecting.handled).toBe(1);
  });

  it('takes the rejections of a span that answers with promises', async () => {
    class Late implements TelemetrySpan {
      run<T>(work: () => T): T {
        work();
        return rejecting.promise as never;
      }
      end(): void {
        return rejecting.promise as never;
      }
    }
    class LateTelemetry extends Telemetry {
      start(): TelemetrySpan {
        return new Late();
      }
    }
    next = 'fine';
    expect(resultOf(await execute(await start({ telemetry: LateTelemetry }), 'out.any'))).toBe('completed');
    expect(rejecting.handled).toBe(2);
  });
});

const cycle: Record<string, unknown> = {};
cycle['self'] = cycle;
const endless = { toJSON: (): unknown => ({ toJSON: endless.toJSON }) };

describe('what JSON cannot hold', () => {
  it.each<[string, unknown]>([
    ['a bigint', { n: 1n }],
    ['a cycle', cycle],
    ['a Map', new Map()],
    ['a Set', [new Set()]],
    ['NaN', [Number.NaN]],
    ['Infinity', { n: -Infinity }],
    ['an invalid Date', { at: new Date(Number.NaN) }],
    ['a function', { f: () => 1 }],
    ['a symbol', { s: Symbol('x') }],
    [
      'a getter that throws',
      {
        get x(): never {
          throw new Error('no');
        },
      },
    ],
    ['an endless toJSON', endless],
    [
      'a toJSON that throws',
      {
        toJSON: (): never => {
          throw new Error('no');
        },
      },
    ],
  ])('%s is OUTPUT_INVALID on a wire surface', async (_name, value) => {
    next = value;
    expect(resultOf(await execute(await start(), 'out.any', { surface: 'rest' }))).toBe('OUTPUT_INVALID');
  });

  it('writes what it can hold as JSON does', async () => {
    const app = await start();
    const values = [
      { a: undefined, b: 1 },
      [undefined, 1],
      Object.assign(Object.create(null) as object, { x: 1 }),
      new (class Point {
        x = 1;
        y = new Date(0);
      })(),
      Array.from({ length: 20_000 }, (_, index) => index),
      JSON.parse('{"__proto__":{"a":1},"b":[{"constructor":1}]}') as unknown,
      -0,
      '',
      null,
      false,
    ];
    for (const value of values) {
      next = value;
      const outcome = await execute(app, 'out.any', { surface: 'rest' });
      expect(outcome).toMatchObject({ status: 'completed' });
      if (outcome.status === 'completed') expect(JSON.stringify(outcome.output)).toBe(JSON.stringify(value));
    }
  });

  it('keeps what the handler returned as it is, and strips what is not declared', async () => {
    const app = await start();
    const original = Object.freeze({ id: 'a', when: new Date(0), n: 2n, secret: 'S3CRET' });
    next = original;
    const wire = await execute(app, 'out.typed', { surface: 'mcp' });
    expect(wire).toMatchObject({ output: { id: 'a', when: '1970-01-01T00:00:00.000Z', n: '2' } });
    expect(JSON.stringify(wire)).not.toContain('S3CRET');
    const direct = await execute(app, 'out.typed');
    expect(direct).toMatchObject({ output: { id: 'a', when: new Date(0), n: 2n } });
    expect(Object.keys(original)).toContain('secret');
  });
});
