import 'reflect-metadata';
import {
  EXCEPTION_FILTERS_METADATA,
  GUARDS_METADATA,
  INTERCEPTORS_METADATA,
  PATH_METADATA,
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

/** Where `@nestjs/swagger` keeps what it documents. */
const DOCUMENTATION = 'swagger/';

/**
 * Copies what an application stamped on a host class or method, for guards and interceptors that reflect on it.
 * What documents a route of the host's own is left: it says nothing about the generated one.
 */
export function carryMetadata(from: object, to: object): void {
  const isRoute = Reflect.hasMetadata(PATH_METADATA, from);
  for (const key of Reflect.getMetadataKeys(from) as (string | symbol)[]) {
    if (!isCarried(key) || (isRoute && String(key).startsWith(DOCUMENTATION))) continue;
    Reflect.defineMetadata(key, Reflect.getMetadata(key, from), to);
  }
}

function isCarried(key: string | symbol): boolean {
  if (ENHANCERS.has(key) || FRAMEWORK.has(key)) return false;
  return typeof key === 'symbol'
    ? !key.description?.startsWith('nest-capabilities.')
    : !key.startsWith('design:');
}
