import { Injectable } from '@nestjs/common';
import fc from 'fast-check';
import {
  allow,
  Capability,
  CapabilityPolicy,
  type CapabilityPolicyRule,
  deny,
  hide,
  type PolicyDecision,
  type PolicyPhase,
  requireApproval,
  type PrincipalInput,
  PrincipalResolver,
} from 'nest-capabilities';
import { z } from 'zod';
import { BASE, boot, closeApps, execute, resultOf, writer } from '../nest/support.js';

afterAll(closeApps);

const ANSWERS = ['allow', 'approval', 'deny', 'hide', 'throw', 'nonsense'] as const;
type Answer = (typeof ANSWERS)[number];

const COUNT = 3;

/** What every policy answers in the next call, and how often each was asked. */
const now = {
  access: [] as readonly Answer[],
  invocation: [] as readonly Answer[],
  permitted: true,
  later: false,
};
const asked = { access: 0, invocation: 0 };
let ran = 0;

function decision(answer: Answer): PolicyDecision {
  switch (answer) {
    case 'allow':
      return allow();
    case 'approval':
      return requireApproval({ reason: 'four eyes' });
    case 'deny':
      return deny('closed today');
    case 'hide':
      return hide();
    case 'nonsense':
      return { effect: 'perhaps' } as unknown as PolicyDecision;
    case 'throw':
      throw new Error('policy store is down');
  }
}

const rule = (phase: PolicyPhase, index: number): CapabilityPolicyRule => ({
  name: `${phase} ${index}`,
  phase,
  hides: phase === 'access',
  evaluate: () => {
    asked[phase] += 1;
    const answer = now[phase][index] ?? 'allow';
    return now.later ? Promise.resolve().then(() => decision(answer)) : decision(answer);
  },
});
const rules = (phase: PolicyPhase): readonly CapabilityPolicyRule[] =>
  Array.from({ length: COUNT }, (_, index) => rule(phase, index));

class Switched extends CapabilityPolicy {
  userHasPermission(): boolean {
    return now.permitted;
  }
}

class Reloading extends PrincipalResolver {
  resolve(): null {
    return null;
  }

  override reload(): PrincipalInput {
    return writer;
  }
}

@Injectable()
class Host {
  @Capability({
    ...BASE,
    name: 'act',
    sideEffect: 'write',
    approval: { required: false },
    inputSchema: z.object({ id: z.string() }),
  })
  act(_input: { id: string }): void {
    ran += 1;
  }
}

interface Situation {
  readonly access: readonly Answer[];
  readonly invocation: readonly Answer[];
  readonly permitted: boolean;
  readonly valid: boolean;
  readonly later: boolean;
}

/**
 * The precedence written down as an ordered list of rules: the first that applies decides. Each names the
 * stage it belongs to, so that a decision of an earlier stage is reached first.
 */
const PRECEDENCE: readonly (readonly [result: string, applies: (situation: Situation) => boolean])[] = [
  ['NOT_FOUND', ({ access }) => access.some((answer) => ['hide', 'throw', 'nonsense'].includes(answer))],
  ['FORBIDDEN', ({ permitted }) => !permitted],
  ['FORBIDDEN', ({ access }) => access.includes('deny')],
  ['INPUT_INVALID', ({ valid }) => !valid],
  ['FORBIDDEN', ({ invocation }) => invocation.some((answer) => !['allow', 'approval'].includes(answer))],
  ['suspended', ({ access, invocation }) => [...access, ...invocation].includes('approval')],
  ['completed', () => true],
];

const answers = fc.array(fc.oneof(fc.constant<Answer>('allow'), fc.constantFrom(...ANSWERS)), {
  minLength: COUNT,
  maxLength: COUNT,
});

describe('the precedence of policies', () => {
  it('is failure and hide, permission, deny, input, approval, allow; every policy of a phase is asked (SI-05, SI-06)', async () => {
    const app = await boot(
      { providers: [Host] },
      {
        policy: Switched,
        principals: Reloading,
        policies: [...rules('access'), ...rules('invocation')],
      },
    );
    const situations = fc.record({
      access: answers,
      invocation: answers,
      permitted: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.constant(false)),
      valid: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.constant(false)),
      later: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(situations, async (situation) => {
        Object.assign(now, situation);
        Object.assign(asked, { access: 0, invocation: 0 });
        ran = 0;
        const input = situation.valid ? { id: '1' } : { id: 1 };
        const outcome = await execute(app, 'act', { principal: writer }, input);
        const [expected] = PRECEDENCE.find(([, applies]) => applies(situation))!;
        expect(resultOf(outcome)).toBe(expected);
        expect(ran).toBe(expected === 'completed' ? 1 : 0);
        expect(asked.access).toBe(COUNT);
        const stopped = PRECEDENCE.findIndex(([, applies]) => applies(situation));
        expect(asked.invocation).toBe(stopped < 4 ? 0 : COUNT);
      }),
      { numRuns: 500 },
    );
  });
});
