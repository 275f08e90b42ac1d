import type { CapabilityOptions, SideEffect } from './capability-options.js';

/** What a call does to the world as declared, by `sideEffect` or by the short form `annotations`. */
export function declaredSideEffect(
  options: Pick<CapabilityOptions, 'sideEffect' | 'annotations'>,
): SideEffect | undefined {
  const { sideEffect, annotations } = options;
  if (sideEffect !== undefined) return sideEffect;
  if (annotations === undefined) return undefined;
  if (annotations.destructive) return 'destructive';
  return annotations.readOnly ? 'read' : 'write';
}

/** True for a side effect that changes nothing. */
export function isReadOnlyEffect(sideEffect: SideEffect | undefined): boolean {
  return sideEffect === 'none' || sideEffect === 'read';
}
