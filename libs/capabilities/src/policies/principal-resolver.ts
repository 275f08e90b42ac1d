import type { PrincipalInput, PrincipalRef } from '../kernel/principal.js';
import type { RegisteredUser } from '../contract/register.js';
import type { SurfaceId } from '../contract/surface.js';

/** Where an identity comes from. Only verified transport material, never arguments or model text. */
export interface PrincipalSource {
  readonly surface: SurfaceId;
  /** The framework's HTTP request, on HTTP surfaces. */
  readonly request?: unknown;
  /** Bearer token of the Authorization header, on HTTP surfaces. */
  readonly token?: string;
  readonly job?: { readonly name: string; readonly runId: string };
  readonly process?: { readonly user: string };
}

/** Turns a verified transport identity into a principal (port). */
export abstract class PrincipalResolver<User = RegisteredUser> {
  /** Null or a throw is UNAUTHENTICATED; anonymous is a returned `kind: 'anonymous'`. */
  abstract resolve(
    source: PrincipalSource,
  ): Promise<PrincipalInput<User> | null> | PrincipalInput<User> | null;
  /** Re-reads a recorded principal with its current rights; null means disabled. Needed by approvals and queues. */
  reload?(ref: PrincipalRef): Promise<PrincipalInput<User> | null> | PrincipalInput<User> | null;
}

/** What a bearer token proves. */
export interface VerifiedToken {
  readonly subject: string;
  readonly tokenId: string | null;
  readonly scopes: readonly string[] | undefined;
  /** Every claim of the token. */
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Verifies a bearer token (port that REST and MCP share). Throws when the token is not acceptable. */
export abstract class TokenVerifier {
  abstract verify(token: string): Promise<VerifiedToken>;
}
