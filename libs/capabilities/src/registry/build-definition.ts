import type { CapabilityOptions, RetryOptions, SideEffect } from '../contract/capability-options.js';
import { checkDeclaration, collect } from '../contract/check-declaration.js';
import { checkInputFields } from '../contract/check-input-fields.js';
import { contractOf } from '../contract/contract-options.js';
import type { DeclarationProblem } from '../contract/declaration-problem.js';
import { declaredSideEffect, isReadOnlyEffect } from '../contract/side-effect.js';
import type { CompiledInput } from '../kernel/compiled-schema.js';
import { isRecord } from '../kernel/json.js';
import type { SchemaCompiler } from '../kernel/schema/schema-compiler.js';
import type { CapabilityDeclaration } from './capability-declaration.js';
import type { CapabilityDefinition, CapabilityHandler, CapabilitySource } from './capability-definition.js';
import { type CompiledSchemas, compileSchemas } from './compile-schemas.js';
import { contractFingerprint } from './contract-fingerprint.js';
import { contractHandler } from './contract-handler.js';
import { declarationPlace } from './declaration-place.js';
import { deriveTitle } from './derive-title.js';
import { resolveApproval } from './resolve-approval.js';

const TIMEOUT_MS = 30_000;
const BACKOFF_MS = 250;

export interface BuildOptions {
  readonly compiler: SchemaCompiler;
  readonly handler: CapabilityHandler;
}

export interface BuiltDefinition {
  /** Undefined when there are problems. */
  readonly definition: CapabilityDefinition | undefined;
  readonly problems: readonly DeclarationProblem[];
}

/** Checks a declaration and compiles it into a frozen definition. Never throws: every problem is in the answer. */
export function buildDefinition(
  declaration: CapabilityDeclaration,
  { compiler, handler }: BuildOptions,
): BuiltDefinition {
  const place = declarationPlace(declaration);
  const problems = [...checkDeclaration(declaration.options, place)];
  if (!isRecord(declaration.options)) return { definition: undefined, problems };
  const found = collect(place);
  const schemas = compileSchemas(declaration, compiler, found.report);
  if (schemas.input !== undefined) checkInputFields(declaration.options, schemas.input, found.report);
  problems.push(...found.problems);
  if (problems.length > 0 || schemas.input === undefined) return { definition: undefined, problems };
  const definition = assemble(
    declaration.source,
    declaration.options as CheckedOptions,
    { ...schemas, input: schemas.input },
    handler,
  );
  return { definition, problems };
}

/** Options that passed every check. */
type CheckedOptions = CapabilityOptions &
  Required<Pick<CapabilityOptions, 'name' | 'expose' | 'risk' | 'permission'>>;

function assemble(
  source: CapabilitySource,
  options: CheckedOptions,
  { input, output, failures }: CompiledSchemas & { readonly input: CompiledInput },
  handler: CapabilityHandler,
): CapabilityDefinition {
  const sideEffect = declaredSideEffect(options) as SideEffect;
  const isDeclared = (tag: string): boolean => failures.has(tag);
  const parts = {
    ...describing(options),
    ...bounds(options),
    name: options.name,
    sideEffect,
    annotations: Object.freeze({
      readOnly: isReadOnlyEffect(sideEffect),
      destructive: sideEffect === 'destructive',
    }),
    risk: options.risk,
    permission: options.permission,
    expose: Object.freeze([...options.expose]),
    approval: resolveApproval(options.approval),
    input,
    output,
    failures,
    source: Object.freeze({ ...source }),
    handler: contractOf(options) === undefined ? handler : contractHandler(handler, isDeclared),
    options: Object.freeze({ ...options }),
  };
  return withFingerprint(parts);
}

/** What the capability tells its readers, and the hooks they are told by. */
function describing(options: CheckedOptions) {
  return {
    title: options.title ?? deriveTitle(options.name),
    description: options.description,
    tags: Object.freeze([...(options.tags ?? [])]),
    discovery: options.discovery ?? 'discoverable',
    deprecated: options.deprecated ?? false,
    version: options.version,
    describe: options.describe,
    reversible: options.reversible,
    cites: options.cites,
    redact: Object.freeze({ ...options.redact }),
    http: Object.freeze({ ...options.http }),
    mcp: Object.freeze({ ...options.mcp }),
    cli: Object.freeze({ ...options.cli }),
    assistant: Object.freeze({ ...options.assistant }),
  } as const;
}

/** What limits a call. */
function bounds(options: CapabilityOptions) {
  return {
    constraints: Object.freeze([...(options.constraints ?? [])]),
    policies: Object.freeze([...(options.policies ?? [])]),
    idempotent: options.idempotent ?? false,
    retry: resolveRetry(options.retry),
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
    limits: options.limits && Object.freeze({ ...options.limits }),
    unknownKeys: options.unknownKeys ?? 'refuse',
  } as const;
}

function resolveRetry(retry: RetryOptions | undefined): CapabilityDefinition['retry'] {
  if (retry === undefined || retry.maxAttempts === 0) return undefined;
  return Object.freeze({
    maxAttempts: retry.maxAttempts,
    backoffMs: retry.backoffMs ?? BACKOFF_MS,
    retryOn: retry.retryOn,
  });
}

/** Adds the fingerprint, computed when it is first asked for: without approvals nobody asks. */
function withFingerprint(parts: Omit<CapabilityDefinition, 'fingerprint'>): CapabilityDefinition {
  let fingerprint: string | undefined;
  return Object.freeze(
    Object.defineProperty({ ...parts }, 'fingerprint', {
      enumerable: true,
      get: () => (fingerprint ??= contractFingerprint(parts)),
    }),
  ) as CapabilityDefinition;
}
