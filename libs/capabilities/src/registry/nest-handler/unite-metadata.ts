import 'reflect-metadata';
import {
  GUARDS_METADATA,
  INTERCEPTORS_METADATA,
  METHOD_METADATA,
  PATH_METADATA,
  PIPES_METADATA,
} from '@nestjs/common/constants.js';

/** Lists that hold one entry per decorator: both functions' entries count. */
const ENHANCER_LISTS: ReadonlySet<unknown> = new Set([
  GUARDS_METADATA,
  INTERCEPTORS_METADATA,
  PIPES_METADATA,
]);

/** Carrying these over would open a route that the application itself does not have. */
const ROUTE_KEYS: ReadonlySet<unknown> = new Set([PATH_METADATA, METHOD_METADATA]);

/**
 * Unites the metadata of the function a decorator saw with the function now on the
 * prototype: another decorator may have replaced it without copying anything. What the
 * current function says wins, except that guards, interceptors and pipes add up. Idempotent.
 */
export function uniteMetadata(seen: object, current: object): void {
  if (seen === current) return;
  for (const key of Reflect.getOwnMetadataKeys(seen) as unknown[]) {
    if (ROUTE_KEYS.has(key)) continue;
    const older: unknown = Reflect.getOwnMetadata(key, seen);
    const newer: unknown = Reflect.getOwnMetadata(key, current);
    if (newer === undefined) Reflect.defineMetadata(key, older, current);
    else if (ENHANCER_LISTS.has(key)) Reflect.defineMetadata(key, union(older, newer), current);
  }
}

function union(older: unknown, newer: unknown): readonly unknown[] {
  return [...new Set([...list(older), ...list(newer)])];
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
