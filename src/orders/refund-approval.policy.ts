import { allow, requireApproval, type CapabilityPolicyRule } from 'nest-capabilities';

/** The largest refund, in the order's smallest currency unit, that one person may make alone. */
const ALONE = 10_000;

/** A large refund waits for a second manager. */
export const largeRefundsNeedApproval: CapabilityPolicyRule = {
  name: 'large-refunds-need-approval',
  phase: 'invocation',
  evaluate: ({ capability, input }) => {
    if (capability.name !== 'orders.refund') return allow();
    const { amount } = input as { readonly amount: number };
    return amount > ALONE ? requireApproval({ reason: `The refund is larger than ${ALONE}.` }) : allow();
  },
};
