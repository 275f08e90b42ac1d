export { CapabilityDefinitionError } from './capability-definition-error.js';
export { CapabilityFailure } from './capability-failure.js';
export { isCapabilityName, isToolName, mapName } from './capability-name.js';
export type { FailureOptions, ParsedInput, ParsedOutput, ReturnedOutput } from './capability-options.js';
export type {
  AnyContract,
  CallDescription,
  Contract,
  ContractAccess,
  DeclaredFailures,
  GatedContract,
  ReadContract,
} from './contract.js';
export {
  CapabilityEncodingFailed,
  CapabilityFailed,
  CapabilityInputInvalid,
  ContractNameInvalid,
} from './contract-errors.js';
export { type ContractBinding, contractOptions, isContract } from './contract-options.js';
export { defineContract } from './define-contract.js';
export { describeCall } from './describe-call.js';
export {
  type ContractCall,
  type ContractHandler,
  implement,
  type ImplementedContract,
  isImplementedContract,
} from './implement.js';
export { type InvocationResult, invoke } from './invoke.js';
export { isObjectRef, type ObjectRef, type PendingAction } from './object-ref.js';
export { inputJsonSchema } from './read-arguments.js';
export type {
  DtoClass,
  SchemaInput,
  SchemaLike,
  SchemaOutput,
  StandardSchema,
} from '../kernel/standard-schema.js';
