import type { ApprovalStrength } from '../contract/capability-options.js';
import type { Clock } from '../kernel/clock.js';
import type { Principal } from '../kernel/principal.js';
import type { ApprovalRecord } from './approval-record.js';

/** What a decider offers to prove who they are. */
export interface StepUpRequest {
  readonly strength: Exclude<ApprovalStrength, 'none'>;
  readonly principal: Principal;
  readonly approval: ApprovalRecord;
  /** What the decision route received beside the decision, such as a WebAuthn assertion. */
  readonly proof: unknown;
}

/** Checks that a decider authenticated strongly enough (port). Anything but `true` refuses. */
export abstract class StepUpVerifier {
  abstract verify(request: StepUpRequest): boolean | Promise<boolean>;
}

/** How far the clock of whoever authenticates people may run ahead, seconds. */
const CLOCK_SKEW_SECONDS = 60;

/**
 * The ready `session` strength: the decider authenticated at most `maxAgeSeconds` ago
 * (`principal.authTime`, OpenID Connect `auth_time`), and not in the future. Never meets `webauthn`.
 */
export class SessionStepUp extends StepUpVerifier {
  /** @param maxAgeSeconds Default 300. */
  constructor(
    private readonly clock: Clock,
    private readonly maxAgeSeconds = 300,
  ) {
    super();
  }

  verify({ strength, principal }: StepUpRequest): boolean {
    if (strength !== 'session' || principal.authTime === undefined) return false;
    const age = this.clock.now() / 1000 - principal.authTime;
    return age >= -CLOCK_SKEW_SECONDS && age <= this.maxAgeSeconds;
  }
}
