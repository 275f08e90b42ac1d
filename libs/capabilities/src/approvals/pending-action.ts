import type { RedactionView, SideEffect } from '../contract/capability-options.js';
import type { PendingAction } from '../contract/object-ref.js';
import { pendingActionProblem, plainRefs } from '../contract/pending-action.js';
import { CapabilityError } from '../errors/capability-error.js';
import { isRecord, type Json } from '../kernel/json.js';
import { dueAtOnce } from '../kernel/promise-like.js';

/** The part of a capability that says what a call will do. */
export interface ActionSource {
  readonly name: string;
  readonly title: string;
  readonly sideEffect: SideEffect;
  readonly describe: ((input: unknown) => PendingAction) | undefined;
  readonly reversible: boolean | undefined;
  readonly redact: { readonly approvalInput?: (input: unknown, view: RedactionView) => unknown };
}

/**
 * What deciders are shown: the capability's own description, checked, or one derived from its title and
 * every argument. `redact.approvalInput` applies to the arguments either way. A description or redactor
 * that throws or answers nonsense fails the call: `CapabilityError` INTERNAL.
 */
export function pendingAction(source: ActionSource, input: unknown, view: RedactionView): PendingAction {
  try {
    const redact = source.redact.approvalInput;
    const shown = redact === undefined ? input : dueAtOnce(redact(input, view), 'redact.approvalInput');
    if (source.describe === undefined) return derive(source, shown);
    const action = checked(dueAtOnce(source.describe(input), 'describe()'));
    return redact === undefined ? action : { ...action, arguments: toJson(shown, new Set()) };
  } catch (cause) {
    throw new CapabilityError('INTERNAL', { cause });
  }
}

function derive(source: ActionSource, shown: unknown): PendingAction {
  const lasting = source.sideEffect === 'destructive' || source.sideEffect === 'external';
  return {
    verb: source.title,
    target: { product: source.name.split('.')[0]!, kind: 'capability', id: source.name },
    arguments: toJson(shown, new Set()),
    reversible: source.reversible ?? !lasting,
  };
}

function checked(action: unknown): PendingAction {
  const shown = isRecord(action) ? { ...action, arguments: toJson(action['arguments'], new Set()) } : action;
  const problem = pendingActionProblem(shown);
  if (problem !== undefined) throw new TypeError(problem);
  const { verb, target, arguments: values, reversible } = shown as PendingAction;
  return { verb, target: plainRefs([target])[0]!, arguments: values, reversible };
}

/** A readable JSON form of any storable value; nothing is left out or shortened. */
function toJson(value: unknown, open: Set<object>): Json {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value !== 'object') return (value as bigint | symbol).toString();
  if (open.has(value)) throw new TypeError('The arguments hold a cycle.');
  open.add(value);
  const json = objectToJson(value, open);
  open.delete(value);
  return json;
}

function objectToJson(value: object, open: Set<object>): Json {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof Map)
    return [...value].map((entry: unknown[]) => entry.map((part) => toJson(part, open)));
  if (Array.isArray(value) || value instanceof Set)
    return [...value].map((item: unknown) => toJson(item, open));
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([key, member]) => [key, toJson(member, open)]));
}
