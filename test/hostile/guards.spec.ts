import 'reflect-metadata';
import {
  type CanActivate,
  type ExecutionContext,
  Inject,
  Injectable,
  Module,
  Scope,
  SetMetadata,
  UseGuards,
} from '@nestjs/common';
import { APP_GUARD, Reflector, REQUEST } from '@nestjs/core';
import {
  Capability,
  CapabilityHost,
  CapabilityPolicy,
  CapabilityRunner,
  type PrincipalInput,
  type PrincipalRef,
  PrincipalResolver,
  type PrincipalSource,
} from 'nest-capabilities';
import { MemoryCapabilityStore } from 'nest-capabilities/memory';
import { z } from 'zod';
import { ADAPTERS, type RestApp, startRestApp } from '../rest/rest-app.js';

const roles = new Map<string, readonly string[]>();
const principalOf = (id: string): PrincipalInput => ({
  id,
  kind: 'user',
  credentialId: `c-${id}`,
  user: { id },
});

class People extends PrincipalResolver {
  resolve({ token }: PrincipalSource): PrincipalInput | null {
    return token === undefined ? null : principalOf(token);
  }
  override reload({ id }: PrincipalRef): PrincipalInput {
    return principalOf(id);
  }
}
class Anything extends CapabilityPolicy {
  userHasPermission(): boolean {
    return true;
  }
}

/** The usual roles guard: what a handler asks for stands in its metadata. */
@Injectable()
class RolesGuard implements CanActivate {
  constructor(@Inject(Reflector) private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const wanted = this.reflector.getAllAndOverride<string | undefined>('role', [
      context.getHandler(),
      context.getClass(),
    ]);
    if (wanted === undefined) return true;
    const { headers } = context.switchToHttp().getRequest<{ headers?: { authorization?: string } }>();
    const id = headers?.authorization?.replace('Bearer ', '') ?? '';
    return roles.get(id)?.includes(wanted) === true;
  }
}

const seen: { who: string; instance: number }[] = [];
let made = 0;

@Injectable({ scope: Scope.REQUEST })
class Who {
  readonly instance = (made += 1);
  constructor(@Inject(REQUEST) readonly request: { headers?: { authorization?: string } }) {}
}

@Injectable()
class ScopedGuard implements CanActivate {
  constructor(@Inject(Who) private readonly who: Who) {}
  canActivate(): boolean {
    seen.push({ who: this.who.request.headers?.authorization ?? '', instance: this.who.instance });
    return true;
  }
}

@Injectable()
@CapabilityHost({ namespace: 'g', expose: ['rest', 'direct'], risk: 'low', permission: 'p' })
class Guarded {
  ran = 0;

  @SetMetadata('role', 'payer')
  @Capability.write({
    description: 'Pays.',
    inputSchema: z.object({ to: z.string() }),
    approval: { required: true },
  })
  pay(): string {
    this.ran += 1;
    return 'paid';
  }
}

@Injectable({ scope: Scope.REQUEST })
@CapabilityHost({ namespace: 'r', expose: ['rest', 'direct'], risk: 'low', permission: 'p' })
class PerRequest {
  constructor(@Inject(Who) private readonly who: Who) {}

  @UseGuards(ScopedGuard)
  @Capability.read({ description: 'Who.', inputSchema: z.object({}) })
  async asking(_input: object, context: { principal: { id: string } }): Promise<object> {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
    return {
      request: this.who.request.headers?.authorization ?? '',
      principal: context.principal.id,
      instance: this.who.instance,
    };
  }
}

@Module({ providers: [Guarded, Who, PerRequest] })
class Hosts {}

describe.each(ADAPTERS)('guards on %s', (adapter) => {
  let rest: RestApp;
  beforeAll(async () => {
    seen.splice(0);
    rest = await startRestApp(adapter, {
      imports: [Hosts],
      providers: [{ provide: APP_GUARD, useClass: RolesGuard }],
      capabilities: {
        policy: Anything,
        principals: People,
        store: MemoryCapabilityStore,
      },
    });
  });
  afterAll(() => rest.close());

  it('asks a global guard again, about the capability, when an approved call executes', async () => {
    roles.set('alice', ['payer']);
    const asked = await rest.call('g.pay', { to: 'x' }, { as: 'alice' });
    expect(asked.status).toBe(202);
    const { approvalId } = asked.json as { approvalId: string };
    const decided = await rest.send('POST', `/approvals/${approvalId}/decision`, {
      as: 'bob',
      headers: { 'content-type': 'application/json' },
      body: '{"decision":"approve"}',
    });
    expect(decided.status).toBe(200);
    roles.set('alice', []);
    const refused = await rest.send('POST', `/approvals/${approvalId}/execute`, { as: 'alice' });
    expect(refused.status).toBe(403);
    roles.set('alice', ['payer']);
    const executed = await rest.send('POST', `/approvals/${approvalId}/execute`, { as: 'alice' });
    expect([executed.status, executed.json]).toEqual([200, 'paid']);
  });

  it('does not mix up callers under concurrency', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `user-${index}`);
    const replies = await Promise.all(names.map((as) => rest.call('r.asking', {}, { as })));
    for (const [index, reply] of replies.entries()) {
      const body = reply.json as { request: string; principal: string };
      expect([body.request, body.principal]).toEqual([`Bearer ${names[index]}`, names[index]]);
    }
    const instances = replies.map((reply) => (reply.json as { instance: number }).instance);
    expect(new Set(instances).size).toBe(names.length);
    const guarded = seen.map(({ instance }) => instance);
    expect(guarded.toSorted((a, b) => a - b)).toEqual(instances.toSorted((a, b) => a - b));
  });

  it('serves direct calls of a request-scoped host side by side', async () => {
    const runner = rest.app.get(CapabilityRunner);
    const outcomes = await Promise.all(
      ['a', 'b', 'c'].map((id) => runner.execute('r.asking', {}, { principal: principalOf(id) })),
    );
    const outputs = outcomes.map((outcome) => (outcome.status === 'completed' ? outcome.output : outcome));
    expect(outputs).toMatchObject([{ principal: 'a' }, { principal: 'b' }, { principal: 'c' }]);
  });
});
