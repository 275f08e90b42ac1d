import type { ModulesContainer } from '@nestjs/core';
import type { InstanceWrapper } from '@nestjs/core/injector/instance-wrapper.js';
import type { Module } from '@nestjs/core/injector/module.js';
import { capabilityMethods, hostOptions, type HostClass } from './capability-metadata.js';

/** A provider or controller whose class carries capabilities. */
export interface ScannedHost {
  /** The class that declares: the provided class, or the class that is the provider's token. */
  readonly hostClass: HostClass;
  /** The class of the instance, once it exists; a factory or a test double may hand over a subclass. */
  readonly instanceClass: HostClass;
  readonly moduleRef: Module;
  readonly wrapper: InstanceWrapper;
  /** False for one made by a factory or handed over as a value. */
  readonly byClass: boolean;
}

/**
 * Every host in the container, those provided by class first. Hosts made by a factory under
 * another token than their class are seen once they are instantiated; aliases (`useExisting`)
 * are the provider they stand for.
 */
export function scanHosts(modules: ModulesContainer): readonly ScannedHost[] {
  const hosts = [...modules.values()].flatMap((moduleRef) =>
    [...moduleRef.providers.values(), ...moduleRef.controllers.values()].flatMap((wrapper) =>
      scan(wrapper, moduleRef),
    ),
  );
  return [...hosts.filter((host) => host.byClass), ...hosts.filter((host) => !host.byClass)];
}

function scan(wrapper: InstanceWrapper, moduleRef: Module): readonly ScannedHost[] {
  if (wrapper.isAlias) return [];
  const provided = wrapper.isNotMetatype ? undefined : carrying(wrapper.metatype);
  if (provided) return [{ hostClass: provided, instanceClass: provided, moduleRef, wrapper, byClass: true }];
  if (!wrapper.isNotMetatype) return [];
  const made = carrying(classOf(wrapper.instance));
  const hostClass = carrying(wrapper.token) ?? made;
  if (hostClass === undefined) return [];
  return [{ hostClass, instanceClass: made ?? hostClass, moduleRef, wrapper, byClass: false }];
}

/** The class, if it carries capabilities. A proxy that refuses to be looked at is no host. */
function carrying(type: unknown): HostClass | undefined {
  try {
    if (typeof type !== 'function') return undefined;
    return capabilityMethods(type as HostClass).length > 0 ? (type as HostClass) : undefined;
  } catch {
    return undefined;
  }
}

function classOf(instance: unknown): unknown {
  try {
    return (instance as object | null | undefined)?.constructor;
  } catch {
    return undefined;
  }
}

/** One host registered more than once, each time as an instance of its own. */
export interface RepeatedHost {
  readonly hostClass: HostClass;
  readonly registrations: readonly ScannedHost[];
}

/** Hosts of one class that are different instances: calls could not tell which one is meant. */
export function repeatedHosts(hosts: readonly ScannedHost[]): readonly RepeatedHost[] {
  const byClass = new Map<HostClass, Map<unknown, ScannedHost>>();
  for (const host of hosts) {
    const instances = byClass.get(host.hostClass) ?? new Map<unknown, ScannedHost>();
    byClass.set(host.hostClass, instances);
    const identity: unknown = isSingleton(host.wrapper) ? host.wrapper.instance : host.wrapper;
    if (!instances.has(identity)) instances.set(identity, host);
  }
  return [...byClass]
    .filter(([, instances]) => instances.size > 1)
    .map(([hostClass, instances]) => ({ hostClass, registrations: [...instances.values()] }));
}

const isSingleton = (wrapper: InstanceWrapper): boolean =>
  wrapper.isDependencyTreeStatic() && !wrapper.isTransient;

/** True when the instance's class declares exactly what the host's class declares. */
export function declaresTheSame({ hostClass, instanceClass }: ScannedHost): boolean {
  if (hostClass === instanceClass) return true;
  const expected = capabilityMethods(hostClass);
  const actual = capabilityMethods(instanceClass);
  return (
    hostOptions(hostClass) === hostOptions(instanceClass) &&
    expected.length === actual.length &&
    expected.every((method) =>
      actual.some((other) => other.key === method.key && other.marks === method.marks),
    )
  );
}
