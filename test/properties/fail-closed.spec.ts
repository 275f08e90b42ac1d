import { type CanActivate, Injectable, type Type, UseGuards } from '@nestjs/common';
import {
  allow,
  AuditSink,
  type AuditEvent,
  type CapabilitiesModuleOptions,
  Capability,
  CapabilityContextResolver,
  type CapabilityPolicyRule,
  ExecutionHook,
  type LimitLease,
  LimitsPort,
  Telemetry,
  type TelemetrySpan,
} from 'nest-capabilities';
import { MemoryCapabilityStore } from 'nest-capabilities/memory';
import { z } from 'zod';
import { BASE, boot, closeApps, execute, ListedPermissions, resultOf, writer } from '../nest/support.js';

afterEach(closeApps);

const broken = (): never => {
  throw new Error('S3CRET is down');
};

let ran = 0;
beforeEach(() => (ran = 0));

class BrokenGuard implements CanActivate {
  canActivate = broken;
}

/** A host with one write; `guarded` puts a broken guard on it. */
function host(guarded = false): Type<object> {
  @Injectable()
  @UseGuards(...(guarded ? [BrokenGuard] : []))
  class Host {
    @Capability({
      ...BASE,
      name: 'act',
      sideEffect: 'write',
      approval: { required: false },
      inputSchema: z.object({ n: z.number() }),
      limits: { concurrency: 5 },
    })
    act(): string {
      ran += 1;
      return 'done';
    }
  }
  return Host;
}

class BrokenPermission extends ListedPermissions {
  override userHasPermission = broken;
}
class BrokenAuthorize extends ListedPermissions {
  override authorize = broken;
}
class NonsenseAuthorize extends ListedPermissions {
  override authorize = (): null => undefined as unknown as null;
}
class BrokenContext extends CapabilityContextResolver {
  resolve = broken;
}
class BrokenRate extends LimitsPort {
  rate = broken;
  take = (): LimitLease => ({ release: () => undefined });
}
class BrokenSlots extends LimitsPort {
  rate = (): void => undefined;
  take = broken;
}
class BrokenStore extends MemoryCapabilityStore {
  override take = broken;
}
class DeafSink extends AuditSink {
  write({ type }: AuditEvent): void {
    if (type === 'started') broken();
  }
}
const policy = (phase: CapabilityPolicyRule['phase'], evaluate: CapabilityPolicyRule['evaluate']) => ({
  policies: [{ name: 'broken', phase, evaluate }],
});
const never = (): Promise<never> => new Promise(() => undefined);

const FAULTS: readonly (readonly [string, CapabilitiesModuleOptions, reason: string])[] = [
  ['the permission rule', { policy: BrokenPermission }, 'FORBIDDEN'],
  ['`authorize`', { policy: BrokenAuthorize }, 'FORBIDDEN'],
  ['an `authorize` that answers nonsense', { policy: NonsenseAuthorize }, 'FORBIDDEN'],
  ['an access policy', policy('access', broken), 'NOT_FOUND'],
  ['an access policy that never answers', { ...policy('access', never), policyTimeoutMs: 30 }, 'NOT_FOUND'],
  ['an invocation policy', policy('invocation', broken), 'FORBIDDEN'],
  [
    'an invocation policy that never answers',
    { ...policy('invocation', never), policyTimeoutMs: 30 },
    'FORBIDDEN',
  ],
  ['the context resolver', { context: BrokenContext }, 'INTERNAL'],
  ['the rate limit', { limits: BrokenRate }, 'INTERNAL'],
  ['the slots and budgets', { limits: BrokenSlots }, 'INTERNAL'],
  ['the audit sink, where a write starts', { sinks: [DeafSink] }, 'UNAVAILABLE'],
];

describe('a port that fails refuses the call, and nothing runs (SI-06, SI-34)', () => {
  it.each(FAULTS)('%s', async (_port, options, reason) => {
    const app = await boot({ providers: [host()] }, options);
    const outcome = await execute(app, 'act', { principal: writer }, { n: 1 });
    expect(resultOf(outcome)).toBe(reason);
    expect(JSON.stringify(outcome)).not.toContain('S3CRET');
    expect(ran).toBe(0);
  });

  it('a guard', async () => {
    const app = await boot({ providers: [host(true)] });
    expect(resultOf(await execute(app, 'act', { principal: writer }, { n: 1 }))).toBe('INTERNAL');
    expect(ran).toBe(0);
  });

  it('the store, where a key or an approval is claimed (SI-25)', async () => {
    const app = await boot({ providers: [host()] }, { store: BrokenStore });
    const keyed = { principal: writer, idempotencyKey: 'k1' };
    const outcome = await execute(app, 'act', keyed, { n: 1 });
    expect(outcome.status).toBe('failed');
    expect(JSON.stringify(outcome)).not.toContain('S3CRET');
    expect(ran).toBe(0);
  });

  it('while the same call runs where nothing is broken', async () => {
    const app = await boot({ providers: [host()] }, policy('access', allow));
    expect(resultOf(await execute(app, 'act', { principal: writer }, { n: 1 }))).toBe('completed');
    expect(ran).toBe(1);
  });
});

describe('an observer that fails changes no call (SI-40)', () => {
  class BrokenHook extends ExecutionHook {
    override onStart = broken;
    override onEnd = broken;
    override onError = broken;
  }
  class BrokenTelemetry extends Telemetry {
    start = broken;
  }
  class BrokenSpans extends Telemetry {
    start(): TelemetrySpan {
      return { run: broken, end: broken };
    }
  }
  class LateSpans extends Telemetry {
    start(): TelemetrySpan {
      return { run: (work) => [work(), broken()][0]!, end: broken };
    }
  }
  class MuteSink extends AuditSink {
    write({ type }: AuditEvent): void {
      if (type !== 'started') broken();
    }
  }

  it.each<[string, CapabilitiesModuleOptions]>([
    ['a hook', { hooks: [BrokenHook] }],
    ['telemetry that starts no span', { telemetry: BrokenTelemetry }],
    ['telemetry that runs nothing', { telemetry: BrokenSpans }],
    ['telemetry that fails after the work', { telemetry: LateSpans }],
    ['a sink, but where a write starts', { sinks: [MuteSink] }],
  ])('%s', async (_observer, options) => {
    const app = await boot({ providers: [host()] }, options);
    expect(resultOf(await execute(app, 'act', { principal: writer }, { n: 1 }))).toBe('completed');
    expect(resultOf(await execute(app, 'act', { principal: writer }, { n: 'one' }))).toBe('INPUT_INVALID');
    expect(ran).toBe(1);
  });
});
