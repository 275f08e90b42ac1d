import type { OpenAPIObject } from '@nestjs/swagger';
import type { ErrorReason, SurfaceId } from 'nest-capabilities';
import type { AdapterName, CaseApp } from './case-app.js';
import type { Caller } from './fixtures.js';

/**
 * What an answer means, whatever the surface calls it. `REFUSED` is any other refusal: a declared failure,
 * an exception of the method, a conflict.
 */
export type Word = 'OK' | 'BAD_INPUT' | 'UNKNOWN' | 'DENIED' | 'NEEDS_APPROVAL' | 'FAULT' | 'REFUSED';

export interface Answer {
  readonly word: Word;
  /** What the capability returned, as this surface hands it over. */
  readonly output?: unknown;
  readonly reason?: ErrorReason;
  readonly field?: string;
  readonly message?: string;
  readonly approvalId?: string;
  /** Everything the caller can see. */
  readonly text: string;
}

/** Stands for arguments that are left out. */
export const ABSENT = Symbol('no arguments');

/** One entry of the list that a surface gives to its callers. */
export interface ListedCapability {
  readonly name: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

interface Surface {
  /** The driver's name. */
  readonly name: string;
  readonly on: CaseApp;
}

/** A surface that runs capabilities. */
export interface CallingSurface extends Surface {
  /** What `ctx.surface` says. */
  readonly id: SurfaceId;
  call(as: Caller, name: string, args: unknown): Promise<Answer>;
  readonly approvals: CaseApprovals;
}

/** The approval flow, by whatever route the surface has. */
export interface CaseApprovals {
  /** Ids that this caller may decide on. */
  pending(as: Caller): Promise<readonly string[]>;
  decide(
    as: Caller,
    id: string,
    decision: { readonly approved: boolean; readonly reason?: string },
  ): Promise<Answer>;
  resume(as: Caller, id: string): Promise<Answer>;
}

/** A surface that tells its callers what there is. */
export interface ListingSurface extends Surface {
  list(as: Caller): Promise<readonly ListedCapability[]>;
}

/** A surface that documents itself. */
export interface DocumentingSurface extends Surface {
  document(): OpenAPIObject;
}

/** How the cases reach one surface: whatever it offers, the cases that need it run on it. */
export interface CaseDriver {
  readonly name: string;
  /** The HTTP adapters that make a difference to it. */
  readonly adapters: readonly AdapterName[];
  readonly calls?: (on: CaseApp) => CallingSurface;
  readonly lists?: (on: CaseApp) => ListingSurface;
  readonly documents?: (on: CaseApp) => DocumentingSurface;
}

/** The word for an error of the table. */
export function wordOf(status: number, reason: ErrorReason): Word {
  if (status === 404) return reason === 'NOT_FOUND' ? 'UNKNOWN' : 'REFUSED';
  return WORDS[status] ?? 'REFUSED';
}

const WORDS: Readonly<Record<number, Word>> = {
  400: 'BAD_INPUT',
  401: 'DENIED',
  403: 'DENIED',
  500: 'FAULT',
};
