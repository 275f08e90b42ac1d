import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SignJWT } from 'jose';
import type { DeskUser } from './desk-user.js';

export const DEMO_ISSUER = 'urn:support-desk:demo-issuer';
export const DEMO_AUDIENCE = 'urn:support-desk:demo';

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

  /** A token of twelve hours. */
  async tokenFor(user: DeskUser): Promise<string> {
    return new SignJWT({ tenant: user.tenant, auth_time: Math.floor(Date.now() / 1000) })
      .setProtectedHeader({ alg: 'ES256' })
      .setIssuer(DEMO_ISSUER)
      .setAudience(DEMO_AUDIENCE)
      .setSubject(user.id)
      .setJti(randomUUID())
      .setIssuedAt()
      .setExpirationTime('12h')
      .sign(this.keys.privateKey);
  }
}
