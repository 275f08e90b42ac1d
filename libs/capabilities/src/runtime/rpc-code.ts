import type { CapabilityError } from '../errors/capability-error.js';
import type { ToolErrorCode } from '../errors/error-table.js';
import { RPC_INTERNAL_ERROR, RPC_INVALID_PARAMS } from '../errors/rpc-codes.js';

/** The caller may not do this. Only this entry point has it: the protocol answers refusals as tool results. */
export const RPC_FORBIDDEN = -32001;

const CODES: Partial<Record<ToolErrorCode, number>> = {
  VALIDATION: RPC_INVALID_PARAMS,
  NOT_FOUND: RPC_INVALID_PARAMS,
  UNAUTHENTICATED: RPC_FORBIDDEN,
  FORBIDDEN: RPC_FORBIDDEN,
  APPROVAL_DENIED: RPC_FORBIDDEN,
};

/** The JSON-RPC code of an error, for transports that answer refusals as JSON-RPC errors. */
export function rpcCode(error: CapabilityError): number {
  return CODES[error.code] ?? RPC_INTERNAL_ERROR;
}
