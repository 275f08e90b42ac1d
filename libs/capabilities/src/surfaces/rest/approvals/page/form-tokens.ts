import { randomBytes, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../../../kernel/clock.js';
import { hmacSha256 } from '../../../../kernel/hash.js';
import type { Principal } from '../../../../kernel/principal.js';
import { REST_OPTIONS, type ResolvedRestOptions } from '../../rest-options.js';

const LIFETIME_MS = 60 * 60_000;
const DOMAIN = 'nest-capabilities.approvals.form.v1';

/** Tokens against cross-site request forgery: signed, good for one hour, one principal and one approval. */
@Injectable()
export class FormTokens {
  private readonly key: string | Uint8Array;

  constructor(
    @Inject(REST_OPTIONS) { approvals }: ResolvedRestOptions,
    @Inject(Clock) private readonly clock: Clock,
  ) {
    this.key = approvals?.formSecret ?? randomBytes(32);
  }

  issue(principal: Principal, approvalId: string): string {
    const expires = String(this.clock.now() + LIFETIME_MS);
    return `${expires}.${this.mac(principal, approvalId, expires)}`;
  }

  accepts(principal: Principal, approvalId: string, token: string): boolean {
    const [expires = '', mac = ''] = token.split('.', 2);
    const given = Buffer.from(mac);
    const wanted = Buffer.from(this.mac(principal, approvalId, expires));
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return false;
    return Number(expires) >= this.clock.now();
  }

  private mac({ tenant, kind, id, human }: Principal, approvalId: string, expires: string): string {
    return hmacSha256(this.key, DOMAIN, JSON.stringify([tenant, kind, id, human, approvalId, expires]));
  }
}
