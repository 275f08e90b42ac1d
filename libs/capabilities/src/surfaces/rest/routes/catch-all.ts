import 'reflect-metadata';
import { MODULE_PATH } from '@nestjs/common/constants.js';
import type { ApplicationConfig, ModulesContainer } from '@nestjs/core';
import type { Module } from '@nestjs/core/injector/module.js';
import type { HttpMethod } from '../../../contract/capability-options.js';
import { controllerClass } from './controller-stub.js';
import { addHandler, type HandlerKit } from './generated-handler.js';
import { addLateController } from './late-controller.js';

/** `HEAD` follows `GET`; `OPTIONS` belongs to CORS and is left alone. */
const METHODS: readonly HttpMethod[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** What the routes for unknown names are made from. */
export interface CatchAllPlan {
  /** `{restPath}/*` in the syntax of the adapter's router. */
  readonly path: string;
  /** The surface's own module, in which guards are made. */
  readonly home: Module;
  /** The modules whose capabilities have routes. */
  readonly hosts: readonly Module[];
  /** Versions of capabilities that have one of their own. */
  readonly versions: readonly string[];
}

/**
 * Adds the routes for every name that no generated route answers: they refuse as a hidden capability would.
 * They stand behind the routes of every module, once for each path that `RouterModule` gave to a host's module.
 * Called when versioning and module paths are final, before the router is filled.
 */
export function addCatchAll(
  modules: ModulesContainer,
  config: ApplicationConfig,
  plan: CatchAllPlan,
  kit: HandlerKit,
  hideFromDocument: ClassDecorator | undefined,
): void {
  const pathOf = (module: Module): string => modulePath(module, modules.applicationId);
  const versions = ownVersions(config, plan.versions);
  for (const path of new Set([plan.home, ...plan.hosts].map(pathOf))) {
    const last = [...modules.values()].findLast((module) => pathOf(module) === path)!;
    const controller = controllerClass('UnknownCapabilityController');
    hideFromDocument?.(controller);
    // A handler without a version takes the application's default.
    for (const group of versions.length > 0 ? [versions, []] : [[]]) {
      for (const method of METHODS) addHandler(controller, handlerPlan(method, group, plan), kit);
    }
    addLateController(last, controller);
  }
}

const handlerPlan = (
  method: HttpMethod,
  versions: readonly string[],
  { path, home }: CatchAllPlan,
): Parameters<typeof addHandler>[1] => ({
  key: [method, ...versions].join(' '),
  method,
  path,
  versions,
  mark: { route: undefined },
  module: home,
  transportGuards: [],
  decorators: [],
});

/** The versions that the application's default does not cover; none when it has no versions. */
function ownVersions(config: ApplicationConfig, versions: readonly string[]): readonly string[] {
  const versioning = config.getVersioning();
  if (versioning === undefined) return [];
  const defaults = [versioning.defaultVersion].flat();
  return versions.filter((version) => !defaults.includes(version));
}

/** What `RouterModule` put a module under. */
export function modulePath({ metatype }: Module, applicationId: string): string {
  const own: unknown = Reflect.getMetadata(MODULE_PATH + applicationId, metatype);
  const path: unknown = own ?? Reflect.getMetadata(MODULE_PATH, metatype);
  return typeof path === 'string' ? path : '';
}
