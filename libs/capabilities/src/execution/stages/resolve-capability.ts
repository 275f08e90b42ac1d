import type { SurfaceId } from '../../contract/surface.js';
import type { CapabilityDefinition } from '../../registry/capability-definition.js';
import type { CapabilityRegistry } from '../../registry/capability-registry.js';
import { ConcealedError } from '../concealed-error.js';

/** Stage 3: the capability of that exact name, exposed on this surface. Throws NOT_FOUND, concealed. */
export function resolveCapability(
  registry: CapabilityRegistry,
  name: string,
  surface: SurfaceId,
): CapabilityDefinition {
  const definition = registry.get(name);
  if (definition === undefined) throw new ConcealedError('UNKNOWN');
  if (!definition.expose.includes(surface)) throw new ConcealedError('UNEXPOSED');
  return definition;
}
