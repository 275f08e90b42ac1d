import 'reflect-metadata';
import { Scope, type Type } from '@nestjs/common';
import { MODULE_METADATA } from '@nestjs/common/constants.js';
import type { ModuleRef, ModulesContainer } from '@nestjs/core';
import type { DeclarationProblem } from '../contract/declaration-problem.js';
import type { CatalogueEntry } from '../registry/check-catalogue.js';
import { declarationPlace } from '../registry/declaration-place.js';
import { PIPELINE_PORTS } from './tokens.js';

/** Capabilities that ask for a permission nobody can answer for. */
export function missingPolicy(
  declarations: readonly CatalogueEntry[],
  hasPolicy: boolean,
): readonly DeclarationProblem[] {
  if (hasPolicy) return [];
  return declarations
    .filter(({ options }) => typeof options?.permission === 'string')
    .map((declaration) => ({
      ...declarationPlace(declaration),
      code: 'POLICY_MISSING',
      problem: `it needs the permission '${declaration.options.permission}', but the application has no policy to ask`,
      remedy: 'Pass `policy` to CapabilitiesModule.forRoot, or write `permission: null` for none',
    }));
}

/** Ports live as long as the application: a request-scoped one would take the runner with it. */
export function scopedPorts(module: Type, moduleRef: ModuleRef): readonly DeclarationProblem[] {
  if (moduleRef.introspect(PIPELINE_PORTS).scope === Scope.DEFAULT) return [];
  return [
    {
      ...placeOf(module),
      code: 'OPTION_INVALID',
      problem: 'a port, policy, sink or hook is request-scoped or injects something that is',
      remedy: 'Give it the default scope; what belongs to a call is in its arguments',
    },
  ];
}

/** `setTimeout` would turn a bad limit into none, or into one that always strikes. */
export function badPolicyTimeout(module: Type, policyTimeoutMs: number): readonly DeclarationProblem[] {
  if (Number.isFinite(policyTimeoutMs) && policyTimeoutMs > 0) return [];
  return [
    {
      ...placeOf(module),
      code: 'DURATION_INVALID',
      problem: `policyTimeoutMs is ${String(policyTimeoutMs)}`,
      remedy: 'Pass a positive number of milliseconds',
    },
  ];
}

/** Two modules with options of their own: there is one registry per application. */
export function repeatedModule(module: Type, modules: ModulesContainer): readonly DeclarationProblem[] {
  const count = [...modules.values()].filter(({ metatype }) => metatype === module).length;
  if (count < 2) return [];
  const importers = [...modules.values()].filter(({ metatype }) =>
    importsOf(metatype).some((it) => isOf(it, module)),
  );
  const names = importers.map(({ name }) => name).join(' and ');
  return [
    {
      ...placeOf(module),
      code: 'MODULE_REPEATED',
      problem: `it is imported ${count} times with different options${names === '' ? '' : `, by ${names}`}`,
      remedy: 'Import it once in the root module (it is global), or pass the same options object',
    },
  ];
}

const placeOf = ({ name }: Type): Pick<DeclarationProblem, 'capability' | 'className' | 'methodName'> => ({
  capability: name,
  className: name,
  methodName: '',
});

function importsOf(metatype: Type): readonly unknown[] {
  const imports: unknown = Reflect.getMetadata(MODULE_METADATA.IMPORTS, metatype);
  return Array.isArray(imports) ? imports : [];
}

function isOf(imported: unknown, module: Type): boolean {
  return (
    typeof imported === 'object' && imported !== null && (imported as { module?: unknown }).module === module
  );
}
