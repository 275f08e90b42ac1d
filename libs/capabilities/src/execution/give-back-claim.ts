import { CapabilityError } from '../errors/capability-error.js';
import { normalizeError } from '../errors/normalize-error.js';
import type { CallJournal } from './call-journal.js';
import type { CallRecord } from './call-record.js';
import type { PipelinePorts } from './pipeline-ports.js';

/**
 * Gives back what a call had claimed before it asked its client, with its terminal event: an approval is approved
 * again and a key is free again. Returns what the caller hears instead of the question when that failed.
 */
export async function giveBackClaim(
  record: CallRecord,
  { governance }: PipelinePorts,
  journal: CallJournal,
): Promise<CapabilityError | undefined> {
  if (record.claim === undefined || governance === undefined) return undefined;
  const event = journal.askedEvent(record);
  try {
    const held = await governance.store.release(record.claim, event);
    record.terminal = event;
    return held ? undefined : new CapabilityError('OUTCOME_UNKNOWN');
  } catch (error) {
    return normalizeError(error);
  }
}
