import type { KeyObject, webcrypto } from 'node:crypto';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  jwtVerify,
  type JWK,
  type JWTPayload,
  type JWTVerifyGetKey,
} from 'jose';
import { SystemClock, type Clock } from '../../kernel/clock.js';
import { TokenVerifier, type VerifiedToken } from '../../policies/principal-resolver.js';
import { refusalOf } from './refusal-of.js';
import { TokenRefusedError } from './token-refused-error.js';

const ALGORITHMS = [
  'ES256',
  'ES384',
  'ES512',
  'PS256',
  'PS384',
  'PS512',
  'RS256',
  'RS384',
  'RS512',
  'EdDSA',
  'Ed25519',
] as const;

/** Signature algorithms that may be accepted. `none` and the shared-secret `HS*` never are. */
export type AsymmetricAlgorithm = (typeof ALGORITHMS)[number];

/** Where the public keys come from. */
export type JoseKeySource =
  /** A JWK set over HTTPS (plain HTTP only on loopback); cached for 10 minutes, re-read for an unknown key id. */
  | { readonly jwksUrl: string | URL }
  /** A JWK set at hand. */
  | { readonly jwks: { readonly keys: readonly Readonly<Record<string, unknown>>[] } }
  /** One public key at hand. */
  | { readonly key: KeyObject | webcrypto.CryptoKey };

export interface JoseTokenVerifierOptions {
  readonly keys: JoseKeySource;
  /** Accepted values of `iss`; at least one. */
  readonly issuer: string | readonly string[];
  /** Accepted values of `aud`: this server's own identifier; at least one (RFC 8707). */
  readonly audience: string | readonly string[];
  /** Accepted `alg` values, pinned whatever the token or key says. Default `ES256`, `PS256`, `RS256`, `EdDSA`. */
  readonly algorithms?: readonly AsymmetricAlgorithm[];
  /** Seconds by which `exp` and `nbf` may be off. Default 5, at most 300. */
  readonly clockTolerance?: number;
  /** Default: the system's clock. */
  readonly clock?: Clock;
}

const DEFAULT_ALGORITHMS: readonly AsymmetricAlgorithm[] = ['ES256', 'PS256', 'RS256', 'EdDSA'];
const REQUIRED_CLAIMS = ['iss', 'aud', 'sub', 'exp'];
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Verifies signed JSON Web Tokens (RFC 7519, RFC 8725): signature with a pinned asymmetric algorithm, issuer,
 * audience, `sub` and `exp`. `scope` (RFC 8693, space-separated) or `scp` becomes the token's scopes.
 *
 * `verify` throws {@link TokenRefusedError}, or `CapabilityError` UNAVAILABLE when the keys cannot be fetched.
 * The constructor throws `TypeError` for options that would accept too much.
 */
export class JoseTokenVerifier extends TokenVerifier {
  private readonly key: JWTVerifyGetKey | KeyObject | webcrypto.CryptoKey;
  private readonly rules: {
    issuer: string[];
    audience: string[];
    algorithms: string[];
    clockTolerance: number;
  };
  private readonly clock: Clock;

  constructor(options: JoseTokenVerifierOptions) {
    super();
    this.key = keyOf(options.keys);
    this.rules = {
      issuer: nonEmpty('issuer', options.issuer),
      audience: nonEmpty('audience', options.audience),
      algorithms: pinned(options.algorithms ?? DEFAULT_ALGORITHMS),
      clockTolerance: tolerance(options.clockTolerance ?? 5),
    };
    this.clock = options.clock ?? new SystemClock();
  }

  async verify(token: string): Promise<VerifiedToken> {
    const payload = await this.payloadOf(token);
    if (typeof payload.sub !== 'string' || payload.sub === '') throw new TokenRefusedError('invalid_claim');
    return {
      subject: payload.sub,
      tokenId: payload.jti ?? null,
      scopes: scopesOf(payload),
      claims: Object.freeze({ ...payload }),
    };
  }

  private async payloadOf(token: string): Promise<JWTPayload> {
    const options = {
      ...this.rules,
      requiredClaims: REQUIRED_CLAIMS,
      currentDate: new Date(this.clock.now()),
    };
    try {
      const { payload } =
        typeof this.key === 'function'
          ? await jwtVerify(token, this.key, options)
          : await jwtVerify(token, this.key, options);
      return payload;
    } catch (error) {
      throw refusalOf(error);
    }
  }
}

function keyOf(source: JoseKeySource): JWTVerifyGetKey | KeyObject | webcrypto.CryptoKey {
  if ('jwksUrl' in source) {
    const url = new URL(source.jwksUrl);
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && LOOPBACK.has(url.hostname))) {
      throw new TypeError('keys.jwksUrl must be an https URL; plain http is accepted on loopback only.');
    }
    return createRemoteJWKSet(url);
  }
  if ('jwks' in source) {
    const keys: JWK[] = source.jwks.keys.map((key) => ({ ...key }));
    if (keys.some((key) => key.kty === 'oct')) throw sharedSecret('keys.jwks');
    return createLocalJWKSet({ keys });
  }
  if (source.key.type === 'secret') throw sharedSecret('keys.key');
  return source.key;
}

const sharedSecret = (option: string): TypeError =>
  new TypeError(`${option} holds a shared secret: give public keys, so that this server cannot mint tokens.`);

function nonEmpty(option: string, value: string | readonly string[]): string[] {
  const list = typeof value === 'string' ? [value] : [...value];
  if (list.length === 0 || list.some((entry) => typeof entry !== 'string' || entry === '')) {
    throw new TypeError(`${option} must name at least one accepted value.`);
  }
  return list;
}

function pinned(algorithms: readonly string[]): string[] {
  const known: readonly string[] = ALGORITHMS;
  const refused = algorithms.filter((algorithm) => !known.includes(algorithm));
  if (algorithms.length === 0 || refused.length > 0) {
    throw new TypeError(
      `algorithms must be some of ${ALGORITHMS.join(', ')}; got ${refused.join(', ') || 'none at all'}.`,
    );
  }
  return [...algorithms];
}

function tolerance(seconds: number): number {
  if (!Number.isFinite(seconds) || seconds < 0 || seconds > 300) {
    throw new TypeError('clockTolerance must be between 0 and 300 seconds.');
  }
  return seconds;
}

function scopesOf(payload: JWTPayload): readonly string[] | undefined {
  const claim = payload['scope'] ?? payload['scp'];
  if (claim === undefined) return undefined;
  if (typeof claim === 'string') return claim.split(' ').filter((scope) => scope !== '');
  if (Array.isArray(claim) && claim.every((scope): scope is string => typeof scope === 'string'))
    return claim;
  throw new TokenRefusedError('invalid_claim');
}
