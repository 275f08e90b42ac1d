import type { ApprovalBy, ApprovalStrength } from '../contract/capability-options.js';
import type { ApprovalDemand } from '../contract/policy-rule.js';
import { CapabilityError } from '../errors/capability-error.js';

/** A capability's approval options with every default applied. */
export interface ApprovalDefaults {
  readonly required: boolean | undefined;
  readonly by: ApprovalBy | undefined;
  readonly strength: ApprovalStrength;
  readonly decideWithin: number;
  readonly executeWithin: number;
  readonly quorum: number;
  readonly approvers: readonly string[] | undefined;
  readonly permission: string | undefined;
  readonly type: string | undefined;
}

/** What one approval asks for, from the capability, its surface and every policy together. */
export interface ApprovalTerms {
  readonly by: ApprovalBy;
  readonly strength: ApprovalStrength;
  readonly decideWithin: number;
  readonly executeWithin: number;
  readonly quorum: number;
  readonly approvers: readonly string[] | null;
  readonly permission: string | null;
  readonly type: string | null;
  readonly reasons: readonly string[];
}

/** Where the demand for an approval comes from. */
export interface ApprovalSources {
  /** What policies demanded of this call. */
  readonly demands: readonly ApprovalDemand[];
  /** The surface is driven by a model and the capability is not read-only. */
  readonly modelDriven: boolean;
  /** The human behind the caller. */
  readonly human: string | null;
}

const BY: readonly ApprovalBy[] = ['principal', 'another', 'host'];
const STRENGTH: readonly ApprovalStrength[] = ['none', 'session', 'webauthn'];

const DECLARED = 'This capability requires approval.';
const SURFACE = 'A person must confirm what a model asks for.';

/**
 * The terms under which a call must be approved, or undefined when nobody asks for approval.
 * Demands only tighten: the later decider, the stronger proof, the larger quorum, the shorter windows,
 * the common approvers. Throws `CapabilityError` QUORUM_UNREACHABLE when too few named approvers remain
 * beside the requester.
 */
export function approvalTerms(
  defaults: ApprovalDefaults,
  sources: ApprovalSources,
): ApprovalTerms | undefined {
  const declared = defaults.required === true;
  const bySurface = sources.modelDriven && defaults.required === undefined;
  const { demands, human } = sources;
  if (!declared && !bySurface && demands.length === 0) return undefined;
  const gateBy = defaults.by ?? (declared || demands.length > 0 ? 'another' : 'principal');
  const asked = pick(
    BY,
    gateBy,
    demands.map((demand) => demand.by),
  );
  const quorum = Math.max(defaults.quorum, ...demands.map((demand) => demand.quorum ?? 1));
  const terms: ApprovalTerms = {
    // One human cannot be a quorum, and nobody can confirm where no human stands behind the call.
    by: asked === 'principal' && (human === null || quorum > 1) ? 'another' : asked,
    strength: pick(
      STRENGTH,
      defaults.strength,
      demands.map((demand) => demand.strength),
    ),
    decideWithin: Math.min(
      defaults.decideWithin,
      ...demands.map((demand) => demand.decideWithin ?? Infinity),
    ),
    executeWithin: Math.min(
      defaults.executeWithin,
      ...demands.map((demand) => demand.executeWithin ?? Infinity),
    ),
    quorum,
    approvers: common([defaults.approvers, ...demands.map((demand) => demand.approvers)]),
    permission: defaults.permission ?? null,
    type: defaults.type ?? null,
    reasons: [
      ...(declared ? [DECLARED] : bySurface ? [SURFACE] : []),
      ...demands.map((demand) => demand.reason),
    ],
  };
  assertReachable(terms, human);
  return terms;
}

/** The strictest of a scale's values. */
function pick<T>(scale: readonly T[], base: T, others: readonly (T | undefined)[]): T {
  const ranks = others.map((other) => (other === undefined ? -1 : scale.indexOf(other)));
  return scale[Math.max(scale.indexOf(base), ...ranks)]!;
}

function common(lists: readonly (readonly string[] | undefined)[]): readonly string[] | null {
  const named = lists.filter((list) => list !== undefined);
  if (named.length === 0) return null;
  return [...new Set(named[0])].filter((human) => named.every((list) => list.includes(human)));
}

function assertReachable(terms: ApprovalTerms, human: string | null): void {
  if (terms.approvers === null) return;
  const eligible = terms.approvers.filter((approver) => (terms.by === 'principal') === (approver === human));
  if (eligible.length < terms.quorum) throw new CapabilityError('QUORUM_UNREACHABLE');
}
