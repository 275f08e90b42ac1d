export { CodeMode, type RunProgramOptions } from './code-mode.js';
export type { CodeModePage } from './program/program-tools.js';
export { CodeModeModule, type CodeModeModuleOptions } from './code-mode.module.js';
export type { CodeModeValueOptions } from './code-mode-options.js';
export type { CatalogueBudget } from '../../catalogue/catalogue-summary.js';
export type { SearchMatch, SearchPage, SearchRequest } from '../../catalogue/search-tools.js';
export { DIAGNOSTIC_KINDS, type DiagnosticKind, type ProgramDiagnostic } from './program/diagnostic.js';
export type { ProgramResult } from './program/program-runner.js';
export { MemoryProgramStore } from './program/memory-program-store.js';
export {
  type ProgramClaim,
  type ProgramLease,
  type ProgramRecord,
  ProgramStore,
  type RecordedCall,
  type SettledCall,
} from './program/program-store.js';
export { type ProgramDatabase, PROGRAM_TABLE_SQL, SqlProgramStore } from './program/sql-program-store.js';
export type { CallFailure } from './program/call-failure.js';
export { QuickJsSandbox } from './sandbox/quickjs-sandbox.js';
export {
  type ProgramCall,
  type ProgramFailure,
  type ProgramLimits,
  type ProgramReply,
  type ProgramSeed,
  Sandbox,
  type SandboxEnd,
  type SandboxProgram,
} from './sandbox/sandbox.js';
