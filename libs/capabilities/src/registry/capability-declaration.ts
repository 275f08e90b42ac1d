import type {
  CapabilityHostOptions,
  CapabilityOptions,
  InheritableOptions,
} from '../contract/capability-options.js';
import { isRecord } from '../kernel/json.js';
import type { CapabilitySource } from './capability-definition.js';

/** One capability as declared: inheritance applied, nothing checked yet. */
export interface CapabilityDeclaration {
  /** Merged options; at run time anything the application wrote. */
  readonly options: CapabilityOptions;
  readonly source: CapabilitySource;
  /** `design:paramtypes` of the method; undefined when the compiler emitted none. */
  readonly paramTypes: readonly unknown[] | undefined;
  readonly paramCount: number;
}

const INHERITED = ['expose', 'risk', 'permission', 'tags'] as const;

/**
 * Applies inheritance: method, then host, then defaults. `approval` is merged field by
 * field, so that a method which sets one field does not drop a gate of its host.
 * An unset `name` becomes `namespace.method` when the host has a namespace.
 */
export function mergeDeclaration(
  method: Partial<CapabilityOptions>,
  host: CapabilityHostOptions | undefined,
  defaults: InheritableOptions | undefined,
  methodName: string,
): CapabilityOptions {
  const merged: Record<string | symbol, unknown> = { ...method };
  for (const key of INHERITED) {
    const value = [method, host, defaults]
      .map((level) => level?.[key])
      .find((candidate) => candidate !== undefined);
    if (value !== undefined) merged[key] = value;
  }
  const approval = mergeApproval([defaults?.approval, host?.approval, method?.approval]);
  if (approval !== undefined) merged['approval'] = approval;
  if (merged['name'] === undefined && typeof host?.namespace === 'string')
    merged['name'] = `${host.namespace}.${methodName}`;
  return merged as unknown as CapabilityOptions;
}

/** The last level wins per field; a level that is no object is kept as it is, for the check to report. */
function mergeApproval(levels: readonly unknown[]): unknown {
  return levels
    .filter((level) => level !== undefined)
    .reduce(
      (merged: unknown, level) =>
        isRecord(merged) && isRecord(level) ? { ...merged, ...defined(level) } : level,
      undefined,
    );
}

const defined = (record: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
