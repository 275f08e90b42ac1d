import type { CapabilityHostOptions } from '../contract/capability-options.js';
import { type HostClass, markHost } from './capability-metadata.js';

/**
 * Marks a class whose methods carry `@Capability()` and sets what they inherit
 * (`expose`, `risk`, `permission`, `tags`, `approval`) and the namespace of derived names.
 * Optional. Writes metadata and nothing else; options are checked when the application starts.
 */
export function CapabilityHost(options: CapabilityHostOptions = {}): (type: HostClass) => void {
  return (type) => markHost(type, options);
}
