import { Injectable } from '@nestjs/common';
import {
  ANONYMOUS,
  Capability,
  type CapabilityOptions,
  CapabilityPolicy,
  type PrincipalInput,
  type PrincipalRef,
  PrincipalResolver,
  type PrincipalSource,
  type SchemaLike,
  SURFACES,
} from 'nest-capabilities';
import { z } from 'zod';

/** The application's own user, as every case knows it. */
export interface CaseUser {
  readonly id: string;
  readonly permissions: readonly string[];
}

/** Who calls; null has no credentials. */
export type Caller = CaseUser | null;

export const anon: Caller = null;
export const reader: CaseUser = { id: 'u-read', permissions: ['docs:read'] };
export const writer: CaseUser = { id: 'u-write', permissions: ['docs:read', 'docs:write'] };
export const boss: CaseUser = {
  id: 'u-boss',
  permissions: ['docs:read', 'docs:write', 'approvals:decide'],
};

const USERS: ReadonlyMap<string, CaseUser> = new Map([reader, writer, boss].map((user) => [user.id, user]));

export function principalOf(caller: Caller): PrincipalInput<CaseUser | null> {
  if (caller === null) return ANONYMOUS;
  return { id: caller.id, kind: 'user', user: caller, credentialId: `key-${caller.id}` };
}

/** The bearer token of a caller is its id. */
export class CasePrincipals extends PrincipalResolver<CaseUser | null> {
  resolve({ token }: PrincipalSource): PrincipalInput<CaseUser | null> | null {
    if (token === undefined) return principalOf(null);
    const user = USERS.get(token);
    return user === undefined ? null : principalOf(user);
  }

  override reload({ id }: PrincipalRef): PrincipalInput<CaseUser | null> | null {
    const user = USERS.get(id);
    return user === undefined ? null : principalOf(user);
  }
}

export class CasePolicy extends CapabilityPolicy<CaseUser | null, string> {
  userHasPermission(user: CaseUser | null, permission: string): boolean {
    return user !== null && user.permissions.includes(permission);
  }
}

/** A capability in the words of the cases. Anything else is passed on as the product calls it. */
export interface CaseDeclaration<
  I extends SchemaLike | undefined,
  O extends SchemaLike | undefined,
> extends Omit<
  CapabilityOptions<I, O, never>,
  'inputSchema' | 'outputSchema' | 'description' | 'sideEffect' | 'name'
> {
  readonly name: string;
  readonly permission: string | null;
  readonly input?: I;
  readonly output?: O;
  readonly destructive?: boolean;
}

/**
 * Maps a declaration of the cases to the product's options: low risk, every surface, `read` where the
 * permission is `docs:read` or none, else `write` that needs no confirmation.
 */
export function declared<
  I extends SchemaLike | undefined = undefined,
  O extends SchemaLike | undefined = undefined,
>({ input, output, destructive, ...rest }: CaseDeclaration<I, O>): CapabilityOptions<I, O, never> {
  const isRead = rest.permission === null || rest.permission === 'docs:read';
  return {
    description: `The capability ${rest.name}.`,
    risk: 'low',
    expose: SURFACES,
    sideEffect: destructive === true ? 'destructive' : isRead ? 'read' : 'write',
    ...(isRead ? {} : { approval: { required: false } }),
    ...rest,
    ...(input === undefined ? {} : { inputSchema: input }),
    ...(output === undefined ? {} : { outputSchema: output }),
  };
}

/** Counts what ran; every method body records first. */
export class Calls {
  ran = 0;
  readonly inputs: unknown[] = [];

  record(input?: unknown): void {
    this.ran += 1;
    this.inputs.push(input);
  }
}

const OK_INPUT = z.object({ a: z.string() });

/** The healthy sibling. */
@Injectable()
export class OkService {
  @Capability(declared({ name: 'ok', permission: 'docs:read', input: OK_INPUT }))
  ok(input: z.output<typeof OK_INPUT>): { a: string } {
    return { a: input.a };
  }
}
