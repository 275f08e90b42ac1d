import { Injectable } from '@nestjs/common';
import {
  type ApprovalRecord,
  ApprovalService,
  AuditTrail,
  allow,
  type CapabilitiesModuleOptions,
  Capability,
  CapabilityHost,
  type CapabilityError,
  type CapabilityPolicyRule,
  CapabilityRunner,
  completePrincipal,
  type HandlerContext,
  type ExecuteOptions,
  type Outcome,
  type Principal,
  type PrincipalInput,
  type PrincipalRef,
  PrincipalResolver,
  requireApproval,
  type StepUpRequest,
  StepUpVerifier,
} from 'nest-capabilities';
import { z } from 'zod';
import { BASE, resultOf } from '../nest/support.js';
import { bootPipeline, type CapturedAudit } from '../pipeline/pipeline-app.js';

const person = (id: string, ...permissions: string[]): PrincipalInput => ({
  id,
  kind: 'user',
  credentialId: `key-${id}`,
  user: { id, permissions },
});

/** Who may what, before a test changes it. */
export const ALICE = person('alice', 'desk:use');
export const BOB = person('bob', 'approvals:decide', 'approvals:operate');
export const DAVE = person('dave', 'approvals:decide');
/** Alice at a console: the same human with a credential that no model holds. */
export const CONSOLE: PrincipalInput = { ...ALICE, credentialId: 'browser' };

@Injectable()
@CapabilityHost({ namespace: 'desk', expose: BASE.expose, risk: 'high', permission: 'desk:use' })
export class Desk {
  readonly effects: unknown[] = [];
  /** What the next calls do instead of answering. */
  act: () => unknown = () => undefined;
  /** The key that the latest call was given. */
  key: string | undefined;

  @Capability.destructive({
    description: 'Wipes what another human agreed to.',
    inputSchema: z.object({ id: z.number(), extra: z.unknown().optional() }),
    approval: { required: true },
  })
  wipe(input: { id: number; extra?: unknown }, { idempotencyKey }: HandlerContext): unknown {
    this.key = idempotencyKey;
    return this.done(input);
  }

  @Capability.destructive({ description: 'Drops.', inputSchema: z.object({ id: z.number() }) })
  drop(input: { id: number }): unknown {
    return this.done(input);
  }

  @Capability.destructive({
    description: 'Needs a security key.',
    inputSchema: z.object({ id: z.number() }),
    approval: { required: true, by: 'principal', strength: 'webauthn' },
  })
  burn(input: { id: number }): unknown {
    return this.done(input);
  }

  @Capability.destructive({
    description: 'Needs a permission of whoever confirms.',
    inputSchema: z.object({ id: z.number() }),
    approval: { required: true, by: 'principal', permission: 'desk:confirm' },
  })
  sell(input: { id: number }): unknown {
    return this.done(input);
  }

  @Capability.write({
    description: 'Writes.',
    inputSchema: z.object({ id: z.number() }),
    approval: { required: false },
  })
  write(input: { id: number }): unknown {
    return this.done(input);
  }

  private done(input: { id: number }): unknown {
    this.effects.push(input);
    return this.act() ?? input.id;
  }
}

/** A booted desk, with everything a test turns. */
export interface DeskApp {
  readonly desk: Desk;
  readonly runner: CapabilityRunner;
  readonly approvals: ApprovalService;
  readonly trail: AuditTrail;
  readonly audit: CapturedAudit;
  /** What `reload` answers, by id; null is disabled. */
  readonly rights: Map<string, PrincipalInput | null>;
  ask(capability: string, input: unknown, options?: Partial<ExecuteOptions>): Promise<string>;
  approve(as: PrincipalInput, id: string): Promise<ApprovalRecord>;
  run(id: string, as?: PrincipalInput): Promise<Outcome>;
}

/** Believes nothing but the right proof. */
class KeyOnly extends StepUpVerifier {
  verify({ proof }: StepUpRequest): boolean {
    return proof === 'touch';
  }
}

export async function startDesk(options: CapabilitiesModuleOptions = {}): Promise<DeskApp> {
  const rights = new Map<string, PrincipalInput | null>([ALICE, BOB, DAVE].map((each) => [each.id, each]));
  class People extends PrincipalResolver {
    resolve(): null {
      return null;
    }
    override reload(ref: PrincipalRef): PrincipalInput | null {
      return rights.get(ref.id) ?? null;
    }
  }
  const { app, audit } = await bootPipeline(
    { providers: [Desk] },
    { principals: { useValue: new People() }, stepUp: KeyOnly, ...options },
  );
  const runner = app.get(CapabilityRunner);
  const approvals = app.get(ApprovalService);
  return {
    desk: app.get(Desk),
    runner,
    approvals,
    trail: app.get(AuditTrail),
    audit,
    rights,
    ask: async (capability, input, more = {}) => {
      const outcome = await runner.execute(capability, input, { principal: ALICE, surface: 'rest', ...more });
      if (outcome.status !== 'suspended') throw new Error(resultOf(outcome));
      return outcome.approval.approvalId;
    },
    approve: (as, id) => approvals.decide(full(as), id, { decision: 'approve' }),
    run: (id, as = ALICE) => runner.executeApproval(id, { principal: as, surface: 'rest' }),
  };
}

export const full = (input: PrincipalInput): Principal => completePrincipal(input)!;

export function failure(outcome: Outcome): CapabilityError {
  if (outcome.status !== 'failed') throw new Error(resultOf(outcome));
  return outcome.error;
}

/** An invocation policy that asks for approval of what `when` names. */
export const demands = (
  when: (name: string, surface: string) => Parameters<typeof requireApproval>[0] | undefined,
): CapabilityPolicyRule => ({
  name: 'demand',
  phase: 'invocation',
  evaluate: ({ capability, surface }) => {
    const demand = when(capability.name, surface);
    return demand === undefined ? allow() : requireApproval(demand);
  },
});
