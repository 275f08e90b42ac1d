import type { Type } from '@nestjs/common';
import { STATIC_CONTEXT } from '@nestjs/core/injector/constants.js';
import type { Module } from '@nestjs/core/injector/module.js';

/**
 * Adds a controller to a module after Nest has scanned it, with its instance. Its routes are registered, and
 * documented, like those of any other. Semi-internal; the same on Nest 11 and 12, and pinned by tests.
 */
export function addLateController(module: Module, controller: Type<object>): void {
  module.addController(controller);
  const wrapper = module.controllers.get(controller)!;
  wrapper.instance = new controller();
  wrapper.getInstanceByContextId(STATIC_CONTEXT).isResolved = true;
}
