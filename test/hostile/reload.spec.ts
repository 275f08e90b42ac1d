import 'reflect-metadata';
import { Injectable } from '@nestjs/common';
import {
  ApprovalService,
  Capability,
  CapabilityHost,
  CapabilityPolicy,
  CapabilityRunner,
  completePrincipal,
  type Outcome,
  type PrincipalInput,
  type PrincipalRef,
  PrincipalResolver,
} from 'nest-capabilities';
import { z } from 'zod';
import { BASE, boot, closeApps, resultOf } from '../nest/support.js';

afterEach(closeApps);

const person = (id: string): PrincipalInput => ({ id, kind: 'user', credentialId: `c-${id}`, user: { id } });

class Reloading extends PrincipalResolver {
  answer: (ref: PrincipalRef) => unknown = ({ id }) => person(id);
  resolve(): null {
    return null;
  }
  override reload(ref: PrincipalRef): PrincipalInput | null {
    return this.answer(ref) as PrincipalInput | null;
  }
}
class Anything extends CapabilityPolicy {
  userHasPermission(): boolean {
    return true;
  }
}

let paid = 0;

@Injectable()
@CapabilityHost({ namespace: 'm' })
class Money {
  @Capability({
    ...BASE,
    sideEffect: 'write',
    inputSchema: z.object({ to: z.string() }),
    approval: { required: true },
  })
  pay(): string {
    paid += 1;
    return 'paid';
  }
}

describe('a principal who is read again', () => {
  let principals: Reloading;
  let execute: () => Promise<Outcome>;

  beforeEach(async () => {
    paid = 0;
    principals = new Reloading();
    const app = await boot(
      { providers: [Money] },
      { policy: Anything, principals: { useValue: principals } },
    );
    const runner = app.get(CapabilityRunner);
    const alice = person('alice');
    const asked = await runner.execute('m.pay', { to: 'x' }, { principal: alice });
    if (asked.status !== 'suspended') throw new Error(`The call ended as ${asked.status}.`);
    const { approvalId } = asked.approval;
    const bob = completePrincipal(person('bob'))!;
    await app.get(ApprovalService).decide(bob, approvalId, { decision: 'approve', surface: 'direct' });
    execute = () => runner.executeApproval(approvalId, { principal: alice });
  });

  it.each<[string, (ref: PrincipalRef) => unknown]>([
    ['somebody else', () => person('mallory')],
    ['one of another tenant', ({ id }) => ({ ...person(id), tenant: 'other' })],
    ['ill formed', ({ id }) => ({ id, kind: 'wizard', user: null })],
    ['nothing', () => undefined],
    ['an ill-formed approver', ({ id }) => (id === 'bob' ? {} : person(id))],
    ['never', () => new Promise(() => undefined)],
  ])('%s refuses, and burns nothing', async (_what, answer) => {
    principals.answer = answer;
    expect(resultOf(await execute())).toBe('UNAVAILABLE');
    expect(paid).toBe(0);
    principals.answer = ({ id }) => person(id);
    expect(resultOf(await execute())).toBe('completed');
    expect(paid).toBe(1);
  });
});
