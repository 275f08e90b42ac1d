import { createPrivateKey } from 'node:crypto';
import { type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { AUDIENCE, ISSUER } from '../fixture/identity.js';
import { PEOPLE } from '../fixture/people.js';

const DAY_SECONDS = 86_400;

/** A bearer token per principal, and of alice's `wrongaud`, `expired`, `noexp` (never ends) and `unsigned`. */
export async function issueTokens(signingKey: string): Promise<Readonly<Record<string, string>>> {
  const key = createPrivateKey(signingKey);
  const now = Math.floor(Date.now() / 1000);
  const claims = (name: string, id: string, audience = AUDIENCE) => ({
    iss: ISSUER,
    aud: audience,
    sub: name,
    jti: `token-${id}`,
    scope: PEOPLE[name]!.permissions.join(' '),
    auth_time: now,
  });
  const sign = (payload: JWTPayload): Promise<string> =>
    new SignJWT(payload).setProtectedHeader({ alg: 'EdDSA' }).sign(key);
  const exp = now + DAY_SECONDS;
  const tokens: Record<string, string> = {
    wrongaud: await sign({ ...claims('alice', 'wrongaud', 'https://elsewhere.test'), exp }),
    expired: await sign({ ...claims('alice', 'expired'), exp: now - 3_600 }),
    noexp: await sign(claims('alice', 'noexp')),
    unsigned: new UnsecuredJWT({ ...claims('alice', 'unsigned'), exp }).encode(),
  };
  for (const name of Object.keys(PEOPLE)) tokens[name] = await sign({ ...claims(name, name), exp });
  return tokens;
}
