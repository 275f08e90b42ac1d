import type { Risk, SideEffect } from '../contract/capability-options.js';
import type { SurfaceId } from '../contract/surface.js';
import type { CapabilityDefinition, CapabilitySource, ResolvedApproval } from './capability-definition.js';

/** What a maintainer may want to know about one capability before it is called. */
export interface CapabilityInspection {
  readonly name: string;
  readonly title: string;
  readonly source: CapabilitySource;
  readonly sideEffect: SideEffect;
  readonly risk: Risk;
  readonly permission: string | null;
  readonly expose: readonly SurfaceId[];
  /** Exposed on no surface: unreachable. */
  readonly unexposed: boolean;
  /** Exposed on these surfaces, which are not installed. */
  readonly inertSurfaces: readonly SurfaceId[];
  /** No `outputSchema`: the value passes as JSON, unstripped. */
  readonly outputUndeclared: boolean;
  /** Output places whose JSON form is only annotated (JSON pointers): no MCP `outputSchema`. */
  readonly opaqueOutput: readonly string[];
  readonly approval: ResolvedApproval;
  readonly policies: readonly string[];
  readonly constraints: readonly string[];
  readonly failures: readonly string[];
  readonly idempotent: boolean;
  /** Additional attempts after the first. */
  readonly retries: number;
  readonly timeoutMs: number;
  readonly unknownKeys: 'refuse' | 'ignore';
  readonly discovery: 'discoverable' | 'contextual';
  readonly deprecated: boolean | string;
  readonly version: string | undefined;
  readonly fingerprint: string;
}

/** Describes one capability for maintainers. */
export function inspectCapability(
  definition: CapabilityDefinition,
  installed: ReadonlySet<SurfaceId>,
): CapabilityInspection {
  const { expose, output } = definition;
  return Object.freeze({
    name: definition.name,
    title: definition.title,
    source: definition.source,
    sideEffect: definition.sideEffect,
    risk: definition.risk,
    permission: definition.permission,
    expose,
    unexposed: expose.length === 0,
    inertSurfaces: expose.filter((surface) => !installed.has(surface)),
    outputUndeclared: output === undefined,
    opaqueOutput: output?.opaque ?? [],
    approval: definition.approval,
    policies: definition.policies.map((policy) => policy.name),
    constraints: definition.constraints,
    failures: [...definition.failures.keys()],
    idempotent: definition.idempotent,
    retries: definition.retry?.maxAttempts ?? 0,
    timeoutMs: definition.timeoutMs,
    unknownKeys: definition.unknownKeys,
    discovery: definition.discovery,
    deprecated: definition.deprecated,
    version: definition.version,
    fingerprint: definition.fingerprint,
  });
}
