import 'reflect-metadata';
import {
  EXCEPTION_FILTERS_METADATA,
  GUARDS_METADATA,
  INTERCEPTORS_METADATA,
  PIPES_METADATA,
} from '@nestjs/common/constants.js';

/** Run by the pipeline on every surface, or not at all: carried over they would run twice. */
const ENHANCERS: ReadonlySet<unknown> = new Set([
  GUARDS_METADATA,
  INTERCEPTORS_METADATA,
  PIPES_METADATA,
  EXCEPTION_FILTERS_METADATA,
]);

/** Nest's own keys: what the class is to the injector and the router, and how a handler answers HTTP. */
const FRAMEWORK: ReadonlySet<unknown> = new Set([
  'path',
  'method',
  'host',
  'scope:options',
  'self:paramtypes',
  'self:properties_metadata',
  'optional:paramtypes',
  '__injectable__',
  '__controller__',
  '__entryProvider__',
  '__version__',
  '__routeArguments__',
  '__httpCode__',
  '__headers__',
  '__redirect__',
  '__renderTemplate__',
  '__sse__',
]);

/** Copies what an application stamped on a host class or method, for guards and interceptors that reflect on it. */
export function carryMetadata(from: object, to: object): void {
  for (const key of Reflect.getMetadataKeys(from) as unknown[]) {
    if (isCarried(key)) Reflect.defineMetadata(key, Reflect.getMetadata(key as string, from), to);
  }
}

function isCarried(key: unknown): boolean {
  if (ENHANCERS.has(key) || FRAMEWORK.has(key)) return false;
  return typeof key === 'symbol'
    ? !key.description?.startsWith('nest-capabilities.')
    : !String(key).startsWith('design:');
}
