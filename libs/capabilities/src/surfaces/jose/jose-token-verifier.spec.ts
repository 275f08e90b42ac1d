import { createSecretKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, SignJWT, UnsecuredJWT, type JWTPayload } from 'jose';
import { CapabilityError } from '../../errors/capability-error.js';
import { Clock } from '../../kernel/clock.js';
import { JoseTokenVerifier, type JoseTokenVerifierOptions } from './jose-token-verifier.js';
import { TokenRefusedError } from './token-refused-error.js';

const ISSUER = 'https://issuer.test';
const AUDIENCE = 'https://api.test';
const NOW = 1_800_000_000;

class FixedClock extends Clock {
  now(): number {
    return NOW * 1000;
  }
  offset(): number {
    return 0;
  }
}

const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const other = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const good: JWTPayload = { iss: ISSUER, aud: AUDIENCE, sub: 'alice', jti: 'token-1', exp: NOW + 60 };

const sign = (
  claims: JWTPayload,
  key: KeyObject = pair.privateKey,
  alg = 'ES256',
  kid?: string,
): Promise<string> =>
  new SignJWT(claims).setProtectedHeader({ alg, ...(kid === undefined ? {} : { kid }) }).sign(key);

const verifier = (options: Partial<JoseTokenVerifierOptions> = {}): JoseTokenVerifier =>
  new JoseTokenVerifier({
    keys: { key: pair.publicKey },
    issuer: ISSUER,
    audience: AUDIENCE,
    clock: new FixedClock(),
    ...options,
  });

async function refusal(token: string, options: Partial<JoseTokenVerifierOptions> = {}): Promise<string> {
  const error: unknown = await verifier(options)
    .verify(token)
    .then(
      () => undefined,
      (caught: unknown) => caught,
    );
  if (!(error instanceof TokenRefusedError)) return `not refused: ${String(error)}`;
  expect(error).toBeInstanceOf(CapabilityError);
  expect([error.reason, error.status]).toEqual(['UNAUTHENTICATED', 401]);
  expect(error.message).not.toContain(token);
  return error.refusal;
}

const without = (claim: string): JWTPayload =>
  Object.fromEntries(Object.entries(good).filter(([name]) => name !== claim)) as JWTPayload;

describe('JoseTokenVerifier (SI-09)', () => {
  it('gives subject, token id, scopes and claims of a good token', async () => {
    const token = await sign({ ...good, scope: 'orders:read orders:write', tenant: 't1' });
    const verified = await verifier().verify(token);
    expect(verified).toMatchObject({
      subject: 'alice',
      tokenId: 'token-1',
      scopes: ['orders:read', 'orders:write'],
      claims: { tenant: 't1' },
    });
  });

  it('leaves scopes undefined when the token has none, and null for a missing jti', async () => {
    const verified = await verifier().verify(await sign(without('jti')));
    expect([verified.scopes, verified.tokenId]).toEqual([undefined, null]);
  });

  it('reads `scp` as a list', async () => {
    expect((await verifier().verify(await sign({ ...good, scp: ['a', 'b'] }))).scopes).toEqual(['a', 'b']);
  });

  it('refuses scopes that are neither text nor a list of texts', async () => {
    expect(await refusal(await sign({ ...good, scope: { all: true } }))).toBe('invalid_claim');
  });

  it('refuses `alg: none`', async () => {
    expect(await refusal(new UnsecuredJWT(good).encode())).toBe('algorithm');
  });

  it('refuses an HS256 token signed with the public key as the secret', async () => {
    const secret = createSecretKey(Buffer.from(pair.publicKey.export({ type: 'spki', format: 'pem' })));
    expect(await refusal(await sign(good, secret, 'HS256'))).toBe('algorithm');
  });

  it('refuses an accepted key with an algorithm that is not pinned', async () => {
    expect(await refusal(await sign(good), { algorithms: ['RS256'] })).toBe('algorithm');
  });

  it('refuses another key', async () => {
    expect(await refusal(await sign(good, other.privateKey))).toBe('signature');
  });

  it('refuses a changed payload', async () => {
    const [header, , signature] = (await sign(good)).split('.');
    const payload = Buffer.from(JSON.stringify({ ...good, sub: 'root' })).toString('base64url');
    expect(await refusal(`${header}.${payload}.${signature}`)).toBe('signature');
  });

  it('refuses another audience and another issuer', async () => {
    expect(await refusal(await sign({ ...good, aud: 'https://other.test' }))).toBe('audience');
    expect(await refusal(await sign({ ...good, iss: 'https://other.test' }))).toBe('issuer');
  });

  it.each(['exp', 'sub', 'aud', 'iss'])('refuses a token without `%s`', async (claim) => {
    expect(await refusal(await sign(without(claim)))).toBe('missing_claim');
  });

  it('refuses an empty subject', async () => {
    expect(await refusal(await sign({ ...good, sub: '' }))).toBe('invalid_claim');
  });

  it('refuses an expired token, within the tolerance only', async () => {
    const token = await sign({ ...good, exp: NOW - 30 });
    expect(await refusal(token)).toBe('expired');
    expect((await verifier({ clockTolerance: 60 }).verify(token)).subject).toBe('alice');
  });

  it('refuses a token that is not valid yet', async () => {
    expect(await refusal(await sign({ ...good, nbf: NOW + 30 }))).toBe('not_yet_valid');
  });

  it.each(['x', 'a.b.c', 'a.b.c.d.e'])('refuses %j as malformed', async (token) => {
    expect(await refusal(token)).toBe('malformed');
  });

  it('finds the key by its id in a local set', async () => {
    const jwks = { keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'ES256' }] };
    const options = { keys: { jwks } };
    expect((await verifier(options).verify(await sign(good, pair.privateKey, 'ES256', 'k1'))).subject).toBe(
      'alice',
    );
    expect(await refusal(await sign(good, pair.privateKey, 'ES256', 'k2'), options)).toBe('unknown_key');
  });

  it('fetches a remote set, and answers UNAVAILABLE when it cannot', async () => {
    const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'ES256' };
    const server = createServer((_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ keys: [jwk] }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
    const jwksUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`;
    const token = await sign(good, pair.privateKey, 'ES256', 'k1');
    expect((await verifier({ keys: { jwksUrl } }).verify(token)).subject).toBe('alice');
    await new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await expect(verifier({ keys: { jwksUrl } }).verify(token)).rejects.toMatchObject({
      reason: 'UNAVAILABLE',
    });
  });

  it.each([
    ['no audience', { audience: [] }],
    ['an empty audience', { audience: '' }],
    ['no issuer', { issuer: [] }],
    ['no algorithm', { algorithms: [] }],
    ['a shared-secret algorithm', { algorithms: ['HS256' as 'ES256'] }],
    ['`none`', { algorithms: ['none' as 'ES256'] }],
    ['a shared secret', { keys: { key: createSecretKey(Buffer.alloc(32)) } }],
    ['a shared secret in a set', { keys: { jwks: { keys: [{ kty: 'oct', k: 'AAAA' }] } } }],
    ['plain http', { keys: { jwksUrl: 'http://issuer.test/jwks' } }],
    ['a tolerance that is not a number', { clockTolerance: Number.NaN }],
    ['a tolerance of an hour', { clockTolerance: 3600 }],
  ] satisfies [string, Partial<JoseTokenVerifierOptions>][])(
    'does not accept %s as an option',
    (_title, options) => {
      expect(() => verifier(options)).toThrow(TypeError);
    },
  );
});
