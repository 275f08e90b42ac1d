import type { CapabilityError } from '../../../errors/capability-error.js';
import { RPC_INVALID_REQUEST } from '../../../errors/rpc-codes.js';
import type { CallSite } from '../../../protocol/call-site.js';
import { RpcError } from '../../../protocol/rpc-error.js';
import type { McpAuthorizationOptions } from '../mcp-options.js';
import { baselineScopes, metadataUrl } from './resource-metadata.js';

/** `scope-token` of RFC 6749, section 3.3. */
const SCOPE_TOKEN = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/** The `WWW-Authenticate` challenges of one endpoint (RFC 6750, section 3; RFC 9728, section 5.1). */
export class Challenges {
  private readonly metadata: string | undefined;
  private readonly baseline: readonly string[];

  constructor(authorization: McpAuthorizationOptions | undefined) {
    this.metadata = authorization === undefined ? undefined : metadataUrl(authorization.resource);
    this.baseline = authorization === undefined ? [] : baselineScopes(authorization);
  }

  /** 401; `invalid_token` only when there was a token. */
  unauthenticated(tokenSent: boolean): RpcError {
    const challenge = this.challenge(tokenSent ? 'invalid_token' : undefined, this.baseline);
    return new RpcError(RPC_INVALID_REQUEST, 'Authentication is required.', undefined, 401, {
      'www-authenticate': challenge,
    });
  }

  /** 403 that names every scope the call still needs. */
  insufficientScope(scopes: readonly string[]): RpcError {
    const challenge = this.challenge('insufficient_scope', scopes);
    return new RpcError(
      RPC_INVALID_REQUEST,
      'The token lacks a scope that this call needs.',
      { scopes },
      403,
      {
        'www-authenticate': challenge,
      },
    );
  }

  /** What a pipeline refusal asks of the token; undefined when no token would help, or there is no HTTP. */
  readonly forRefusal = (error: CapabilityError, site: CallSite): RpcError | undefined => {
    if (site.exchange.headers === undefined) return undefined;
    if (error.reason === 'UNAUTHENTICATED') return this.unauthenticated(false);
    const scopes = (error.details.missingScopes ?? []).filter((scope) => SCOPE_TOKEN.test(scope));
    return error.reason === 'FORBIDDEN' && scopes.length > 0 ? this.insufficientScope(scopes) : undefined;
  };

  private challenge(error: string | undefined, scopes: readonly string[]): string {
    const parameters = [
      ...(error === undefined ? [] : [`error="${error}"`]),
      ...(this.metadata === undefined ? [] : [`resource_metadata="${this.metadata}"`]),
      ...(scopes.length === 0 ? [] : [`scope="${scopes.join(' ')}"`]),
    ];
    return parameters.length === 0 ? 'Bearer' : `Bearer ${parameters.join(', ')}`;
  }
}
