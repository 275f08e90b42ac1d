import type { ApprovalView } from './approval-view.js';

/** What happened to an approval. */
export interface ApprovalNotification {
  readonly type: 'requested' | 'voted' | 'approved' | 'denied' | 'cancelled' | 'void';
  readonly approval: ApprovalView;
}

/** Tells people or systems about approvals (port). A throw is reported and changes nothing. */
export abstract class ApprovalNotifier {
  abstract notify(notification: ApprovalNotification): Promise<void>;
}
