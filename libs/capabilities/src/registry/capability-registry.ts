import type { SurfaceId } from '../contract/surface.js';
import type { CapabilityDefinition } from './capability-definition.js';
import { type CapabilityInspection, inspectCapability } from './inspect-registry.js';

/** The sealed catalogue of one application: complete at module init, read-only from then on. */
export class CapabilityRegistry {
  private definitions: ReadonlyMap<string, CapabilityDefinition> = new Map();
  private sealed = false;
  /** The runner itself is the surface `direct`. */
  private readonly installed = new Set<SurfaceId>(['direct']);

  /** @internal Fills and seals the registry; once per application. */
  seal(definitions: readonly CapabilityDefinition[]): void {
    if (this.sealed)
      throw new TypeError(
        'The capability registry is sealed: capabilities cannot be added after module init.',
      );
    const sorted = [...definitions].sort((a, b) => (a.name < b.name ? -1 : 1));
    this.definitions = new Map(sorted.map((definition) => [definition.name, definition]));
    this.sealed = true;
  }

  get isSealed(): boolean {
    return this.sealed;
  }

  /** The capability of that exact name, or undefined. */
  get(name: string): CapabilityDefinition | undefined {
    return this.definitions.get(name);
  }

  /** Every capability, ordered by name. */
  all(): readonly CapabilityDefinition[] {
    return [...this.definitions.values()];
  }

  /** The capabilities that a surface reaches, ordered by name. */
  exposedOn(surface: SurfaceId): readonly CapabilityDefinition[] {
    return this.all().filter((definition) => definition.expose.includes(surface));
  }

  /** @internal Notes that a surface is installed; called by the surface's module. */
  install(surface: SurfaceId): void {
    this.installed.add(surface);
  }

  /** The surfaces that are installed. */
  installedSurfaces(): readonly SurfaceId[] {
    return [...this.installed];
  }

  /** What a maintainer should know about every capability, ordered by name. `installed` defaults to the installed surfaces. */
  inspect(installed: Iterable<SurfaceId> = this.installed): readonly CapabilityInspection[] {
    const surfaces = new Set(installed);
    return this.all().map((definition) => inspectCapability(definition, surfaces));
  }
}
