/** What kind of caller a principal is. `agent`, `service` and `unattended` act for a `human`, if any. */
export type PrincipalKind = 'user' | 'agent' | 'service' | 'unattended' | 'anonymous';

/** What a principal was granted for one capability: constraints over its declared constraint fields. */
export interface Grant {
  readonly constraints: Readonly<Record<string, unknown>>;
}

/** What a `PrincipalResolver` returns: only `id`, `kind` and `user` are required. */
export interface PrincipalInput<User = unknown> {
  /** Stable identifier of the caller inside its tenant. No id may be empty or hold NUL or a lone surrogate. */
  readonly id: string;
  readonly kind: PrincipalKind;
  /** The application's own user object, passed through untouched. `null` for anonymous. */
  readonly user: User;
  /** Isolation boundary of approvals, idempotency keys and audit. Default `'default'`. */
  readonly tenant?: string;
  /** The person behind the caller. Default: `id` for `kind: 'user'`, else `null`. */
  readonly human?: string | null;
  /** The credential presented (token id, key id, session id). Default `null`. */
  readonly credentialId?: string | null;
  /** Material for the application's policy; never decides by itself. Default none. */
  readonly permissions?: readonly string[];
  readonly roles?: readonly string[];
  /** OAuth scopes of the token. When set, a permission whose scope is missing is denied before the policy is asked. */
  readonly scopes?: readonly string[];
  /** Constraints granted to this caller, by capability name. Default none. */
  readonly grants?: Readonly<Record<string, Grant>>;
  readonly attributes?: Readonly<Record<string, unknown>>;
  /** When the person last authenticated, seconds since the epoch (OpenID Connect `auth_time`). */
  readonly authTime?: number;
}

/** A verified caller, complete and frozen. Nothing in arguments, headers or model text can change it. */
export interface Principal<User = unknown> {
  readonly id: string;
  readonly kind: PrincipalKind;
  readonly user: User;
  readonly tenant: string;
  readonly human: string | null;
  readonly credentialId: string | null;
  readonly permissions: readonly string[];
  readonly roles: readonly string[];
  readonly scopes: readonly string[] | undefined;
  readonly grants: Readonly<Record<string, Grant>>;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly authTime: number | undefined;
}

/** The storable reference of a principal, enough for `PrincipalResolver.reload`. */
export interface PrincipalRef {
  readonly tenant: string;
  readonly kind: PrincipalKind;
  readonly id: string;
  readonly human: string | null;
  readonly credentialId: string | null;
}

/** Principals this process completed itself, so that a second look costs nothing. */
const completed = new WeakSet<object>();

/** NUL and lone surrogates, which databases refuse or replace: two ids could become one. */
const UNSTORABLE = /[\0\p{Surrogate}]/u;

const isId = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && !UNSTORABLE.test(value);

const KINDS: ReadonlySet<string> = new Set(['user', 'agent', 'service', 'unattended', 'anonymous']);

/** Completes a resolved principal with its defaults; `undefined` when it is not well formed. */
export function completePrincipal<User>(input: PrincipalInput<User>): Principal<User> | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  if (completed.has(input)) return input as Principal<User>;
  const tenant = input.tenant ?? 'default';
  const human = input.human ?? null;
  const credentialId = input.credentialId ?? null;
  if (!KINDS.has(input.kind) || !isId(input.id) || !isId(tenant)) return undefined;
  if ((human !== null && !isId(human)) || (credentialId !== null && !isId(credentialId))) return undefined;
  const principal: Principal<User> = Object.freeze({
    id: input.id,
    kind: input.kind,
    user: input.user,
    tenant,
    human: human ?? (input.kind === 'user' ? input.id : null),
    credentialId,
    permissions: Object.freeze([...(input.permissions ?? [])]),
    roles: Object.freeze([...(input.roles ?? [])]),
    scopes: input.scopes === undefined ? undefined : Object.freeze([...input.scopes]),
    grants: Object.freeze({ ...input.grants }),
    attributes: Object.freeze({ ...input.attributes }),
    authTime: input.authTime,
  });
  completed.add(principal);
  return principal;
}

/** The caller who proved nothing: reaches only capabilities whose permission is `null`. */
export const ANONYMOUS: Principal<null> = completePrincipal({
  id: 'anonymous',
  kind: 'anonymous',
  user: null,
})!;

/** The storable part of a principal. */
export function principalRef(principal: Principal): PrincipalRef {
  const { tenant, kind, id, human, credentialId } = principal;
  return { tenant, kind, id, human, credentialId };
}
