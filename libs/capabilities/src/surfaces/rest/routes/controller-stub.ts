import 'reflect-metadata';
import { Controller, type Type } from '@nestjs/common';
import type { HostClass } from '../../../registry/capability-metadata.js';

const HOST = Symbol.for('nest-capabilities.rest.ControllerHost');

/**
 * The controller of one service's capabilities, for the `controllers` of a module. Without it the
 * controller is added to the service's own module.
 */
export function capabilityController(host: HostClass): Type<object> {
  const controller = controllerClass(`${host.name}Controller`);
  Reflect.defineMetadata(HOST, host, controller);
  return controller;
}

/** The service that a controller was named for by `capabilityController`. */
export function controllerHost(controller: object): HostClass | undefined {
  return Reflect.getOwnMetadata(HOST, controller) as HostClass | undefined;
}

/** An empty controller at the application's root; handlers are added to its prototype. */
export function controllerClass(name: string): Type<object> {
  const controller = class {};
  Object.defineProperty(controller, 'name', { value: name, configurable: true });
  Controller()(controller);
  return controller;
}
