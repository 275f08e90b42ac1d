import { type CanActivate, Inject, Injectable, Scope, UseGuards } from '@nestjs/common';
import { REQUEST } from '@nestjs/core';
import { z } from 'zod';
import { Capability, type HandlerContext } from 'nest-capabilities';
import { BASE, boot, closeApps, execute, reader, resultOf, writer } from './support.js';

afterEach(closeApps);

@Injectable({ scope: Scope.REQUEST })
class Session {
  readonly seen: string[] = [];
  constructor(@Inject(REQUEST) readonly request: { readonly id?: string }) {}
}

@Injectable()
class Remembers implements CanActivate {
  constructor(private readonly session: Session) {}
  canActivate(): boolean {
    this.session.seen.push('guard');
    return true;
  }
}

let constructed = 0;

@Injectable({ scope: Scope.REQUEST })
class Scoped {
  private readonly serial = ++constructed;
  constructor(private readonly session: Session) {}

  @UseGuards(Remembers)
  @Capability({ ...BASE, name: 'scoped', inputSchema: z.object({}) })
  async act(_input: unknown, { user }: HandlerContext) {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
    return { serial: this.serial, seen: this.session.seen, request: this.session.request.id, user };
  }
}

/** Static by declaration, scoped by what it injects. */
@Injectable()
class Dependent {
  constructor(private readonly session: Session) {}
  @Capability({ ...BASE, name: 'dependent' })
  act() {
    return { request: this.session.request.id };
  }
}

@Injectable({ scope: Scope.TRANSIENT })
class Transient {
  private calls = 0;
  @Capability({ ...BASE, name: 'transient' })
  act() {
    return { calls: ++this.calls };
  }
}

beforeEach(() => void (constructed = 0));

it('a request-scoped host is constructed once per execution and shares its scope with its guards', async () => {
  const app = await boot({ providers: [Session, Scoped] });
  const first = await execute(app, 'scoped', { surface: 'mcp', request: { id: 'r1' } });
  const second = await execute(app, 'scoped', { surface: 'mcp', request: { id: 'r2' } });
  expect(first).toMatchObject({ output: { serial: 1, seen: ['guard'], request: 'r1' } });
  expect(second).toMatchObject({ output: { serial: 2, seen: ['guard'], request: 'r2' } });
});

it('a request-scoped host never sees another caller (SI-36)', async () => {
  const app = await boot({ providers: [Session, Scoped] });
  const callers = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? reader : writer));
  const outcomes = await Promise.all(
    callers.map((principal, index) =>
      execute(app, 'scoped', { principal, surface: 'jobs', request: { id: `r${index}` } }),
    ),
  );
  outcomes.forEach((outcome, index) => {
    expect(outcome).toMatchObject({ output: { request: `r${index}`, user: callers[index]?.user } });
  });
  expect(constructed).toBe(40);
});

it('without a request the scope holds an empty one', async () => {
  const app = await boot({ providers: [Session, Scoped] });
  expect(await execute(app, 'scoped')).toMatchObject({ status: 'completed', output: { seen: ['guard'] } });
});

const made = {
  provide: Dependent,
  useFactory: (session: Session) => new Dependent(session),
  inject: [Session],
};

it.each([
  ['provider', { providers: [Session, Dependent] }],
  ['controller', { providers: [Session], controllers: [Dependent] }],
  ['factory', { providers: [Session, made] }],
])('a host that injects something request-scoped is resolved per execution: %s', async (_how, metadata) => {
  const app = await boot(metadata);
  expect(await execute(app, 'dependent', { request: { id: 'r1' } })).toMatchObject({
    output: { request: 'r1' },
  });
  expect(await execute(app, 'dependent', { request: { id: 'r2' } })).toMatchObject({
    output: { request: 'r2' },
  });
});

it('a transient host is one instance of its own', async () => {
  const app = await boot({ providers: [Transient] });
  expect(resultOf(await execute(app, 'transient'))).toBe('completed');
  expect(await execute(app, 'transient')).toMatchObject({ output: { calls: 2 } });
});
