import { isRecord } from '../../kernel/json.js';
import type { CallSite } from '../call-site.js';
import { missingClientCapability, type RpcError } from '../rpc-error.js';
import { TASKS_EXTENSION } from '../versions.js';

/** True when the client declared the tasks extension (SEP-2663). */
export function declaresTasks(site: CallSite): boolean {
  const extensions = site.meta.clientCapabilities['extensions'];
  return site.era === 'modern' && isRecord(extensions) && isRecord(extensions[TASKS_EXTENSION]);
}

export const tasksMissing = (): RpcError =>
  missingClientCapability({ extensions: { [TASKS_EXTENSION]: {} } });
