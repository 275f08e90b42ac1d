import { CapabilityError } from '../../errors/capability-error.js';

/** Why a bearer token was not accepted. */
export type TokenRefusal =
  | 'malformed'
  | 'algorithm'
  | 'unknown_key'
  | 'signature'
  | 'issuer'
  | 'audience'
  | 'expired'
  | 'not_yet_valid'
  | 'missing_claim'
  | 'invalid_claim';

const MESSAGES: Readonly<Record<TokenRefusal, string>> = {
  malformed: 'The bearer token is not a signed JSON Web Token.',
  algorithm: 'The bearer token is signed with an algorithm that is not accepted here.',
  unknown_key: 'The bearer token is signed with a key that is not trusted here.',
  signature: 'The signature of the bearer token is wrong.',
  issuer: 'The bearer token comes from another issuer.',
  audience: 'The bearer token is meant for another audience.',
  expired: 'The bearer token is expired.',
  not_yet_valid: 'The bearer token is not valid yet.',
  missing_claim: 'The bearer token lacks a required claim.',
  invalid_claim: 'A claim of the bearer token is not acceptable.',
};

const BRAND = Symbol.for('nest-capabilities.TokenRefusedError');

/** A bearer token that proves nothing: UNAUTHENTICATED, 401 (RFC 6750 section 3.1 `invalid_token`). */
export class TokenRefusedError extends CapabilityError {
  readonly [BRAND] = true;
  readonly refusal: TokenRefusal;

  constructor(refusal: TokenRefusal, cause?: unknown) {
    super('UNAUTHENTICATED', { message: MESSAGES[refusal], cause });
    this.name = 'TokenRefusedError';
    this.refusal = refusal;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && BRAND in value;
  }
}
