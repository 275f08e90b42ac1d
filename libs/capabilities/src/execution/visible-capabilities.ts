import type { SurfaceId } from '../contract/surface.js';
import type { Principal } from '../kernel/principal.js';
import { combineAccess } from '../policies/combine-verdicts.js';
import type { PermissionChecker } from '../policies/permission-checker.js';
import { evaluatePolicies } from '../policies/policy-evaluator.js';
import type { CapabilityDefinition } from '../registry/capability-definition.js';
import type { CapabilityRegistry } from '../registry/capability-registry.js';
import type { CapabilityPlan } from './capability-plan.js';

type Definitions = readonly CapabilityDefinition[];

/** What lists of one surface are made of, whoever asks. */
interface Shelf {
  readonly discoverable: Definitions;
  /** Every distinct permission, null for none. */
  readonly permissions: readonly (string | null)[];
  readonly policed: boolean;
  /** What each set of granted permissions opens; the oldest is forgotten first. */
  readonly opened: Map<string, Definitions>;
}

/** Sets of granted permissions that are remembered for each surface. */
const CAPACITY = 64;

/** What a principal may see. Whatever does not depend on the principal is worked out once. */
export class VisibleCapabilities {
  private readonly shelves = new Map<SurfaceId, Shelf>();

  constructor(
    private readonly registry: CapabilityRegistry,
    private readonly permissions: PermissionChecker,
    private readonly planOf: (definition: CapabilityDefinition) => CapabilityPlan,
    private readonly policyTimeoutMs: number,
  ) {}

  /** Ordered by name. The same array for principals who see the same, unless access policies decide. */
  async of(principal: Principal, surface: SurfaceId): Promise<Definitions> {
    const shelf = this.shelf(surface);
    const answers = await Promise.all(
      shelf.permissions.map(async (permission) => this.permissions.check(principal, permission)),
    );
    const granted = shelf.permissions.filter((_, index) => answers[index]!.allowed);
    const opened = openedBy(shelf, granted);
    if (!shelf.policed) return opened;
    const shown = await Promise.all(
      opened.map((definition) => this.accessible(definition, principal, surface)),
    );
    return opened.filter((_, index) => shown[index]);
  }

  private shelf(surface: SurfaceId): Shelf {
    const known = this.shelves.get(surface);
    if (known !== undefined) return known;
    const discoverable = this.registry
      .exposedOn(surface)
      .filter(({ discovery }) => discovery !== 'contextual');
    const shelf: Shelf = {
      discoverable,
      permissions: [...new Set(discoverable.map(({ permission }) => permission))],
      policed: discoverable.some((definition) => this.planOf(definition).accessPolicies.length > 0),
      opened: new Map(),
    };
    if (this.registry.isSealed) this.shelves.set(surface, shelf);
    return shelf;
  }

  private async accessible(
    definition: CapabilityDefinition,
    principal: Principal,
    surface: SurfaceId,
  ): Promise<boolean> {
    const { accessPolicies } = this.planOf(definition);
    if (accessPolicies.length === 0) return true;
    const signal = AbortSignal.timeout(this.policyTimeoutMs);
    const request = { capability: definition, principal, surface, signal };
    const verdict = combineAccess(await evaluatePolicies(accessPolicies, request, this.policyTimeoutMs, []));
    return verdict.effect === 'allow' || verdict.effect === 'require-approval';
  }
}

function openedBy({ discoverable, opened }: Shelf, granted: readonly (string | null)[]): Definitions {
  const key = JSON.stringify(granted);
  const known = opened.get(key);
  if (known !== undefined) return known;
  const set = new Set(granted);
  const definitions = Object.freeze(discoverable.filter(({ permission }) => set.has(permission)));
  opened.set(key, definitions);
  if (opened.size > CAPACITY) {
    const oldest = opened.keys().next();
    if (oldest.done !== true) opened.delete(oldest.value);
  }
  return definitions;
}
