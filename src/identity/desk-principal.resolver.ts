import { Injectable } from '@nestjs/common';
import {
  PrincipalResolver,
  TokenVerifier,
  type PrincipalInput,
  type PrincipalRef,
  type PrincipalSource,
} from 'nest-capabilities';
import type { DeskUser } from './desk-user.js';
import { UserDirectory } from './user-directory.js';

type DeskPrincipal = PrincipalInput<DeskUser | null>;

/** Bearer token, or whoever started the process, to principal: the directory says what they may do. */
@Injectable()
export class DeskPrincipalResolver extends PrincipalResolver<DeskUser | null> {
  constructor(
    private readonly tokens: TokenVerifier,
    private readonly directory: UserDirectory,
  ) {
    super();
  }

  async resolve(source: PrincipalSource): Promise<DeskPrincipal | null> {
    if (source.process !== undefined) {
      const { user } = source.process;
      return this.principal(user, { credentialId: `process-of-${user}` });
    }
    if (source.token === undefined) return { id: 'anonymous', kind: 'anonymous', user: null };
    const verified = await this.tokens.verify(source.token);
    const authTime = verified.claims['auth_time'];
    const principal = this.principal(verified.subject, {
      credentialId: verified.tokenId,
      ...(verified.scopes === undefined ? {} : { scopes: verified.scopes }),
      ...(typeof authTime === 'number' ? { authTime } : {}),
    });
    return source.surface === 'assistant' ? assistantOf(principal) : principal;
  }

  override reload(ref: PrincipalRef): DeskPrincipal | null {
    const principal = this.principal(ref.id, { credentialId: ref.credentialId });
    return principal === null ? null : { ...principal, kind: ref.kind };
  }

  private principal(id: string, credential: Partial<DeskPrincipal>): DeskPrincipal | null {
    const user = this.directory.find(id);
    if (user === undefined) return null;
    return {
      ...credential,
      id: user.id,
      kind: user.role === 'assistant' ? 'agent' : 'user',
      human: user.actsFor ?? user.id,
      tenant: user.tenant,
      permissions: user.permissions,
      roles: [user.role],
      user,
    };
  }
}

/**
 * The assistant that a person talks to acts for them, with a credential of its own: the person can decide on its
 * requests with their token, and the assistant cannot.
 */
function assistantOf(person: DeskPrincipal | null): DeskPrincipal | null {
  if (person === null || person.kind === 'anonymous') return person;
  return { ...person, kind: 'agent', credentialId: `assistant:${person.credentialId}` };
}
