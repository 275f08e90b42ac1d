import { generateKeyPairSync } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SignJWT } from 'jose';
import { Capability, type PrincipalInput, PrincipalResolver, type PrincipalSource } from 'nest-capabilities';
import { JoseTokenVerifier } from 'nest-capabilities/jose';
import { z } from 'zod';
import { freePort } from '../mcp/support/run-script.js';
import type { CaseSetup } from './case-app.js';
import { Calls, type CaseUser, declared, reader } from './fixtures.js';
import type { PublicCase } from './public-case.js';

const ISSUER = 'https://issuer.example.com';
const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });

const token = (audience: string, expires: string): Promise<string> =>
  new SignJWT({})
    .setProtectedHeader({ alg: 'ES256' })
    .setIssuer(ISSUER)
    .setSubject(reader.id)
    .setAudience(audience)
    .setExpirationTime(expires)
    .sign(keys.privateKey);

class TokenPrincipals extends PrincipalResolver<CaseUser> {
  private readonly tokens: JoseTokenVerifier;

  constructor(audience: string) {
    super();
    this.tokens = new JoseTokenVerifier({ keys: { key: keys.publicKey }, issuer: ISSUER, audience });
  }

  async resolve({ token: sent }: PrincipalSource): Promise<PrincipalInput<CaseUser> | null> {
    if (sent === undefined) return null;
    const { subject } = await this.tokens.verify(sent);
    return { id: subject, kind: 'user', user: reader };
  }

  override reload(): null {
    return null;
  }
}

async function app(): Promise<{
  readonly calls: Calls;
  readonly resource: string;
  readonly setup: CaseSetup;
}> {
  const calls = new Calls();
  @Injectable()
  class Host {
    @Capability(declared({ name: 'act', permission: 'docs:read', input: z.object({}) }))
    act(): void {
      calls.record();
    }
  }
  const port = await freePort();
  const resource = `http://127.0.0.1:${port}/mcp`;
  const authorization = { resource, authorizationServers: [ISSUER] };
  const principals = { useValue: new TokenPrincipals(resource) };
  const mcp = { anonymous: false, authorization };
  return { calls, resource, setup: { providers: [Host], port, mcp, options: { principals } } };
}

const initialize = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'cases', version: '1' },
};
const requests: readonly (readonly [string, object])[] = [
  ['initialize', initialize],
  ['tools/list', {}],
  ['tools/call', { name: 'act', arguments: {} }],
];

interface Era {
  readonly headers: (method: string) => Readonly<Record<string, string>>;
  readonly meta: object;
}

const MODERN = '2026-07-28';
const ERAS: readonly Era[] = [
  { headers: () => ({ 'mcp-protocol-version': '2025-11-25' }), meta: {} },
  {
    headers: (method) => ({
      'mcp-protocol-version': MODERN,
      'mcp-method': method,
      ...(method === 'tools/call' ? { 'mcp-name': 'act' } : {}),
    }),
    meta: {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': MODERN,
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  },
];

function post(url: string, era: Era, method: string, params: object, bearer?: string): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...era.headers(method),
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, ...era.meta } }),
  });
}

/** Follows the challenge to the metadata. */
async function resourceOf(refused: Response): Promise<unknown> {
  expect(refused.status).toBe(401);
  const challenge = refused.headers.get('www-authenticate') ?? '';
  const [, metadata = ''] = /^Bearer .*\bresource_metadata="(http[^"]+)"/.exec(challenge) ?? [];
  const document = await fetch(metadata);
  expect(document.status).toBe(200);
  return ((await document.json()) as { resource: unknown }).resource;
}

export const P18: PublicCase = {
  id: 'P18',
  title: 'no credentials: 401 with a pointer',
  boots: {
    'leads to the metadata of the endpoint, whatever was asked': async (open) => {
      const { calls, resource, setup } = await app();
      await open(setup);
      for (const era of ERAS) {
        for (const [method, params] of requests) {
          expect(await resourceOf(await post(resource, era, method, params))).toBe(resource);
        }
      }
      expect(await resourceOf(await fetch(resource))).toBe(resource);
      expect(calls.ran).toBe(0);
    },
    'is the answer to an expired or garbled token too, and a valid one is served': async (open) => {
      const { calls, resource, setup } = await app();
      await open(setup);
      for (const bearer of [await token(resource, '-1h'), 'garbage', await token(`${resource}2`, '5m')]) {
        for (const era of ERAS) {
          const refused = await post(resource, era, 'tools/call', requests[2]![1], bearer);
          expect(await resourceOf(refused)).toBe(resource);
        }
      }
      expect(calls.ran).toBe(0);
      for (const era of ERAS) {
        const served = await post(resource, era, 'tools/call', requests[2]![1], await token(resource, '5m'));
        expect(served.status).toBe(200);
      }
      expect(calls.ran).toBe(ERAS.length);
    },
  },
};
