import { createPrivateKey } from 'node:crypto';
import { SignJWT } from 'jose';
import { AUDIENCE, ISSUER } from '../fixture/identity.js';
import { PEOPLE } from '../fixture/people.js';

const DAY_SECONDS = 86_400;

/** A bearer token per principal, and `wrongaud` and `expired`. */
export async function issueTokens(signingKey: string): Promise<Readonly<Record<string, string>>> {
  const key = createPrivateKey(signingKey);
  const now = Math.floor(Date.now() / 1000);
  const sign = (name: string, id: string, audience: string, expires: number): Promise<string> =>
    new SignJWT({ scope: PEOPLE[name]!.permissions.join(' '), auth_time: now })
      .setProtectedHeader({ alg: 'EdDSA' })
      .setIssuer(ISSUER)
      .setAudience(audience)
      .setSubject(name)
      .setJti(`token-${id}`)
      .setExpirationTime(expires)
      .sign(key);
  const tokens: Record<string, string> = {
    wrongaud: await sign('alice', 'wrongaud', 'https://elsewhere.test', now + DAY_SECONDS),
    expired: await sign('alice', 'expired', AUDIENCE, now - 3_600),
  };
  for (const name of Object.keys(PEOPLE)) tokens[name] = await sign(name, name, AUDIENCE, now + DAY_SECONDS);
  return tokens;
}
