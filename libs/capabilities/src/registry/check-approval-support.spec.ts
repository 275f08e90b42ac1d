import type { CapabilityOptions } from '../contract/capability-options.js';
import { type ApprovalSupport, checkApprovalSupport } from './check-approval-support.js';

const all: ApprovalSupport = {
  approvals: true,
  reload: true,
  stepUp: true,
  installed: ['direct', 'rest', 'mcp'],
};
const none: ApprovalSupport = {
  approvals: false,
  reload: false,
  stepUp: false,
  installed: ['direct', 'rest', 'mcp'],
};

const codes = (options: Partial<CapabilityOptions>, support: ApprovalSupport): readonly string[] => {
  const source = { className: 'Orders', methodName: 'cancel', moduleName: undefined };
  const problems = checkApprovalSupport(
    [{ options: { name: 'orders.cancel', description: 'Cancel.', ...options }, source }],
    support,
  );
  for (const problem of problems)
    expect(problem).toMatchObject({ capability: 'orders.cancel', className: 'Orders', methodName: 'cancel' });
  return problems.map(({ code }) => code);
};

describe('checkApprovalSupport', () => {
  it('refuses a declared gate without a store', () => {
    expect(codes({ approval: { required: true } }, none)).toEqual(['APPROVAL_UNSUPPORTED']);
    expect(codes({ approval: { required: true } }, all)).toEqual([]);
    expect(codes({ approval: { required: false } }, none)).toEqual([]);
    expect(codes({}, none)).toEqual([]);
  });

  it('needs reload wherever a call may wait', () => {
    const support = { ...all, reload: false };
    const model = { expose: ['mcp'], sideEffect: 'write' } as const;
    expect(codes({ approval: { required: true } }, support)).toEqual(['RELOAD_MISSING']);
    expect(codes(model, support)).toEqual(['RELOAD_MISSING']);
    expect(codes({ ...model, approval: { required: false } }, support)).toEqual([]);
    expect(codes({ ...model, sideEffect: 'read' }, support)).toEqual([]);
    expect(codes({ ...model, expose: ['rest'] }, support)).toEqual([]);
    expect(codes(model, { ...support, installed: ['direct', 'rest'] })).toEqual([]);
  });

  it('needs a StepUpVerifier for webauthn', () => {
    const approval = { strength: 'webauthn' } as const;
    expect(codes({ approval }, { ...all, stepUp: false })).toEqual(['STEP_UP_MISSING']);
    expect(codes({ approval }, all)).toEqual([]);
    expect(codes({ approval: { required: true, ...approval } }, none)).toEqual([
      'APPROVAL_UNSUPPORTED',
      'STEP_UP_MISSING',
    ]);
  });
});
