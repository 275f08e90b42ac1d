import type { CapabilityOptions } from '../contract/capability-options.js';
import { collect } from '../contract/check-declaration.js';
import type { DeclarationProblem } from '../contract/declaration-problem.js';
import type { Report } from '../contract/option-rule.js';
import type { SurfaceId } from '../contract/surface.js';
import { SchemaCompiler } from '../kernel/schema/schema-compiler.js';
import { buildDefinition, type BuiltDefinition } from '../registry/build-definition.js';
import type { CapabilitySource } from '../registry/capability-definition.js';
import { declarationPlace } from '../registry/declaration-place.js';
import { type ApprovalSupport, checkApprovalSupport } from '../registry/check-approval-support.js';
import type { CatalogueEntry } from '../registry/check-catalogue.js';
import type { AnyCapability } from './capability.js';

/** Where every capability of this entry point is exposed. */
const EXPOSED: readonly SurfaceId[] = ['mcp', 'direct'];

/** How the definition of a capability value is named in messages. */
const SOURCE: CapabilitySource = { className: 'defineCapability', methodName: 'run', moduleName: undefined };

/** Options of the decorator that have no meaning here, and what to do instead. */
const FOREIGN: Readonly<Record<string, string>> = {
  permission: 'Use `requiredPermission`',
  expose: 'Remove it: every capability is exposed on mcp and direct',
  args: 'Map the input inside `run`',
  limits: 'Enforce limits in `run` or around the runtime',
  constraints: 'Check them in `run`; grants are a feature of the NestJS module',
  approval: 'Remove it: the runtime has no approval store',
  http: 'Remove it: the runtime has no HTTP surface',
  cli: 'Remove it: the runtime has no command line',
  assistant: 'Remove it: the runtime has no assistant surface',
};

/** Fields of a capability value that are no options of the decorator. */
const OWN: ReadonlySet<string> = new Set(['run', 'requiredPermission']);

/** The runtime keeps no approvals, so nothing that demands one may pass. */
const SUPPORT: ApprovalSupport = { approvals: false, reload: false, stepUp: false, installed: EXPOSED };

const compiler = new SchemaCompiler();
const built = new WeakMap<AnyCapability, BuiltDefinition>();

/** The compiled definition of a capability value, made once; problems when it is not well formed. */
export function buildCapability(capability: AnyCapability): BuiltDefinition {
  return built.get(capability) ?? buildWith(capability, declaredOptions(capability), checkValue(capability));
}

/** Compiles a capability value from options of its own, which the contract behind it amounts to. */
export function buildWith(
  capability: AnyCapability,
  options: Omit<CapabilityOptions, 'expose'>,
  found: readonly DeclarationProblem[] = [],
): BuiltDefinition {
  const declaration = {
    options: { ...options, expose: EXPOSED },
    source: SOURCE,
    paramTypes: undefined,
    paramCount: 0,
  };
  const { definition, problems } = buildDefinition(declaration, {
    compiler,
    handler: { guard: undefined, invoke: (input, context) => capability.run(input, context) },
  });
  const all = [...found, ...problems, ...checkApprovalSupport([declaration], SUPPORT)];
  const result: BuiltDefinition = { definition: all.length === 0 ? definition : undefined, problems: all };
  built.set(capability, result);
  return result;
}

/** A capability value as the checks over a whole catalogue see it. */
export function catalogueEntry(capability: AnyCapability): CatalogueEntry {
  return { options: { ...declaredOptions(capability), expose: EXPOSED }, source: SOURCE };
}

function declaredOptions(capability: AnyCapability): Omit<CapabilityOptions, 'expose'> {
  const declared = Object.entries(capability).filter(([key]) => !(key in FOREIGN) && !OWN.has(key));
  return {
    risk: defaultRisk(capability.annotations),
    unknownKeys: 'ignore',
    description: capability.description,
    ...Object.fromEntries<unknown>(declared),
    permission: capability.requiredPermission ?? null,
  };
}

function defaultRisk(annotations: AnyCapability['annotations'] | undefined): CapabilityOptions['risk'] {
  if (annotations?.readOnly === true) return 'low';
  return annotations?.destructive === false ? 'medium' : 'high';
}

/** What the shared check cannot see: fields that only exist here, or only there. */
function checkValue(capability: AnyCapability): readonly DeclarationProblem[] {
  const { problems, report } = collect(
    declarationPlace({ options: declaredOptions(capability), source: SOURCE }),
  );
  for (const [key, remedy] of Object.entries(FOREIGN)) {
    if (key in capability)
      report('OPTION_UNKNOWN', `\`${key}\` is not an option of defineCapability`, remedy);
  }
  requireField(capability, 'inputSchema', 'Pass a schema; z.object({}) for no input', report);
  requireField(capability, 'outputSchema', 'Pass a schema; z.void() for no output', report);
  if (typeof capability.run !== 'function') {
    report('OPTION_MISSING', '`run` is not a function', 'Pass run: (input, { user }) => result');
  }
  return problems;
}

function requireField(
  capability: AnyCapability,
  key: 'inputSchema' | 'outputSchema',
  remedy: string,
  report: Report,
): void {
  if (capability[key] === undefined) report('OPTION_MISSING', `\`${key}\` is missing`, remedy);
}
