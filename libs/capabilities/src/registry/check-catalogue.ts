import { mapName } from '../contract/capability-name.js';
import { checkPolicies } from '../contract/check-declaration.js';
import type { DeclarationProblem } from '../contract/declaration-problem.js';
import type { CapabilityDeclaration } from './capability-declaration.js';
import { declarationPlace } from './declaration-place.js';

/** One declared capability, well formed or not: a declaration, or a definition built from one. */
export type CatalogueEntry = Pick<CapabilityDeclaration, 'options' | 'source'>;

/**
 * Everything that can only be judged from all declarations together: names, mapped names and
 * routes must be unique, and no policy of a capability may bear the name of a global one.
 */
export function checkCatalogue(
  entries: readonly CatalogueEntry[],
  globalPolicies: readonly unknown[] = [],
): readonly DeclarationProblem[] {
  return [
    ...checkPolicies(globalPolicies, GLOBAL),
    ...checkNames(entries),
    ...checkRoutes(entries),
    ...checkPolicyNames(entries, globalPolicies),
  ];
}

const GLOBAL = { capability: 'forRoot({ policies })', className: 'CapabilitiesModule', methodName: '' };

function checkNames(entries: readonly CatalogueEntry[]): readonly DeclarationProblem[] {
  const named = entries.filter(({ options }) => typeof options?.name === 'string');
  const problems: DeclarationProblem[] = [];
  for (const group of groupsOf(named, ({ options }) => mapName(options.name as string))) {
    for (const [index, entry] of group.entries()) {
      const earlier = group.slice(0, index);
      const same = earlier.find(({ options }) => options.name === entry.options.name);
      const near = same ?? earlier[0];
      if (near === undefined) continue;
      const place = declarationPlace(entry);
      problems.push(
        same === undefined
          ? {
              ...place,
              code: 'NAME_COLLISION',
              problem: `${place.capability} and ${near.options.name} (${where(near)}) are both ${mapName(place.capability)} on surfaces that forbid dots`,
              remedy: 'Rename one of them',
            }
          : {
              ...place,
              code: 'NAME_DUPLICATE',
              problem: `the name ${place.capability} is also declared by ${where(near)}`,
              remedy: 'Rename one of them, or provide the class in one module only',
            },
      );
    }
  }
  return problems;
}

function checkRoutes(entries: readonly CatalogueEntry[]): readonly DeclarationProblem[] {
  const routed = entries.filter(
    ({ options }) => options?.expose?.includes('rest') && typeof options.http?.path === 'string',
  );
  return groupsOf(routed, routeKey).flatMap((group) =>
    group.slice(1).map((entry) => ({
      ...declarationPlace(entry),
      code: 'ROUTE_DUPLICATE' as const,
      problem: `the route ${entry.options.http?.method ?? 'POST'} ${entry.options.http?.path} is also declared by ${where(group[0] ?? entry)}`,
      remedy: 'Change the method or the path of one of them',
    })),
  );
}

/** Parameters match by position, whatever they are called. */
const routeKey = ({ options: { http } }: CatalogueEntry): string =>
  [http?.version ?? '', http?.method ?? 'POST', http?.path?.replaceAll(/:[^/]+/g, ':')].join(' ');

function checkPolicyNames(
  entries: readonly CatalogueEntry[],
  globalPolicies: readonly unknown[],
): readonly DeclarationProblem[] {
  const taken = new Set(globalPolicies.map(nameOf).filter((name) => name !== undefined));
  return entries.flatMap((entry) => {
    const own: unknown = entry.options?.policies;
    return (Array.isArray(own) ? own.map(nameOf) : [])
      .filter((name) => name !== undefined && taken.has(name))
      .map((name) => ({
        ...declarationPlace(entry),
        code: 'POLICY_DUPLICATE' as const,
        problem: `the policy ${JSON.stringify(name)} bears the name of a global policy`,
        remedy: 'Rename one of them, or remove it here: global policies run for every capability',
      }));
  });
}

const nameOf = (policy: unknown): string | undefined => {
  const name = (policy as { name?: unknown } | null)?.name;
  return typeof name === 'string' ? name : undefined;
};

const where = ({ source }: CatalogueEntry): string =>
  `${source.className}.${source.methodName}${source.moduleName === undefined ? '' : ` in ${source.moduleName}`}`;

/** Groups of two and more that share a key. */
function groupsOf<T>(items: readonly T[], key: (item: T) => string): readonly (readonly T[])[] {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) ?? []), item]);
  return [...groups.values()].filter((group) => group.length > 1);
}
