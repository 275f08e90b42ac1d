import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type JWTPayload, SignJWT } from 'jose';
import { mcpUrl } from '../desk-address.js';
import type { DeskUser } from './desk-user.js';

/** The demo signs its tokens itself: there is nothing at this address. */
export const DEMO_ISSUER = 'https://issuer.support-desk.example';

const TWELVE_HOURS = 43_200;

/** Signs the demo's tokens with a key that lives and dies with this process. A real app has an identity provider. */
@Injectable()
export class DemoTokens {
  private readonly keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly publicKey = this.keys.publicKey;

  constructor() {
    if (process.env['NODE_ENV'] === 'production') {
      throw new Error('Demo identities are refused with NODE_ENV=production: use your identity provider.');
    }
  }

  /** A token of twelve hours; `claims` are added, or stand instead of the usual ones. */
  async tokenFor(user: DeskUser, claims: JWTPayload = {}): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const usual = {
      iss: DEMO_ISSUER,
      aud: mcpUrl(),
      sub: user.id,
      jti: randomUUID(),
      iat: now,
      exp: now + TWELVE_HOURS,
      auth_time: now,
      tenant: user.tenant,
    };
    return new SignJWT({ ...usual, ...claims })
      .setProtectedHeader({ alg: 'ES256' })
      .sign(this.keys.privateKey);
  }
}
