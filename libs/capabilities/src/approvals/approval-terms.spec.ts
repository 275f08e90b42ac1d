import type { ApprovalDemand } from '../contract/policy-rule.js';
import { CapabilityError } from '../errors/capability-error.js';
import { type ApprovalDefaults, approvalTerms } from './approval-terms.js';

const defaults = (change: Partial<ApprovalDefaults> = {}): ApprovalDefaults => ({
  required: undefined,
  by: undefined,
  strength: 'none',
  decideWithin: 900_000,
  executeWithin: 300_000,
  quorum: 1,
  approvers: undefined,
  permission: undefined,
  type: undefined,
  ...change,
});
const demand = (change: Partial<ApprovalDemand> = {}): ApprovalDemand => ({ reason: 'large', ...change });
const terms = (
  change: Partial<ApprovalDefaults>,
  demands: readonly ApprovalDemand[] = [],
  modelDriven = false,
  human: string | null = 'alice',
) => approvalTerms(defaults(change), { demands, modelDriven, human });

describe('the terms of an approval', () => {
  it('are absent when nobody asks', () => {
    expect(terms({})).toBeUndefined();
    expect(terms({ required: false }, [], true)).toBeUndefined();
  });

  it('come from the capability, the surface or a policy, each with its own decider', () => {
    expect(terms({ required: true })?.by).toBe('another');
    expect(terms({}, [], true)?.by).toBe('principal');
    expect(terms({}, [demand()])?.by).toBe('another');
    expect(terms({ required: false }, [demand()], true)).toMatchObject({ by: 'another', reasons: ['large'] });
    expect(terms({ required: true, by: 'host' }, [], true)?.by).toBe('host');
    expect(terms({}, [demand({ by: 'principal' })])?.by).toBe('another');
    expect(terms({ by: 'principal' }, [demand()])?.by).toBe('principal');
    expect(terms({ by: 'principal' }, [demand(), demand({ by: 'host' })])?.by).toBe('host');
  });

  it('turn `principal` into `another` where no human stands behind the call, or more than one must agree', () => {
    expect(terms({}, [], true, null)?.by).toBe('another');
    expect(terms({ quorum: 2 }, [], true)?.by).toBe('another');
  });

  it('only tighten', () => {
    const loose = demand({ quorum: 1, strength: 'none', decideWithin: 2_000_000, executeWithin: 2_000_000 });
    const tight = demand({ quorum: 3, strength: 'webauthn', decideWithin: 1_000, executeWithin: 2_000 });
    const declared = { required: true, quorum: 2, strength: 'session' } as const;
    expect(terms(declared, [loose])).toMatchObject({
      quorum: 2,
      strength: 'session',
      decideWithin: 900_000,
      executeWithin: 300_000,
    });
    expect(terms(declared, [loose, tight])).toMatchObject({
      quorum: 3,
      strength: 'webauthn',
      decideWithin: 1_000,
      executeWithin: 2_000,
    });
    expect(
      terms({ approvers: ['bob', 'dave'] }, [demand({ approvers: ['dave', 'eve'] })])?.approvers,
    ).toEqual(['dave']);
  });

  it.each([
    [
      'the requester is one of too few approvers',
      { required: true, quorum: 2, approvers: ['alice', 'bob'] },
      [],
    ],
    ['policies leave no common approver', { approvers: ['bob'] }, [demand({ approvers: ['dave'] })]],
    [
      'somebody else must confirm for the principal',
      { required: true, by: 'principal', approvers: ['bob'] },
      [],
    ],
  ] as const)('are refused when %s', (_name, change, demands) => {
    expect(() => terms(change, demands)).toThrow(CapabilityError);
    expect(() => terms(change, demands)).toThrow(/approvers/);
  });
});
