import type { ApprovalNotification } from './approval-notifier.js';
import type { ApprovalPorts } from './approval-ports.js';
import type { ApprovalRecord } from './approval-record.js';
import { approvalView } from './approval-view.js';

/** Tells every notifier, without waiting for any. */
export function notifyAll(
  ports: Pick<ApprovalPorts, 'notifiers' | 'onFault'>,
  type: ApprovalNotification['type'],
  record: ApprovalRecord,
): void {
  if (ports.notifiers.length === 0) return;
  const approval = approvalView(record);
  for (const notifier of ports.notifiers) {
    Promise.resolve()
      .then(() => notifier.notify({ type, approval }))
      .catch((error: unknown) => ports.onFault(notifier.constructor.name, error));
  }
}
