import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { type INestApplication, Injectable, type ModuleMetadata } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { SignJWT } from 'jose';
import {
  CapabilitiesModule,
  type CapabilitiesModuleOptions,
  CapabilityPolicy,
  type PrincipalInput,
  type PrincipalRef,
  PrincipalResolver,
  type PrincipalSource,
} from 'nest-capabilities';
import { JoseTokenVerifier } from 'nest-capabilities/jose';
import { McpSurfaceModule, type McpSurfaceOptions } from 'nest-capabilities/mcp';
import type { AdapterName } from '../fixture/fixture-app.js';
import { freePort } from './run-script.js';

const ISSUER = 'https://issuer.example.com';

interface TestUser {
  readonly id: string;
  readonly permissions: readonly string[];
}

/** Permissions of a user are the scopes of the token; `admin:` ones the policy refuses to everybody. */
@Injectable()
class TokenPolicy extends CapabilityPolicy<TestUser> {
  userHasPermission(user: TestUser, permission: string): boolean {
    return user.permissions.includes(permission);
  }
}

/** Signs and verifies the tokens of one test server. */
class Tokens {
  private readonly privateKey: KeyObject;
  private readonly verifier: JoseTokenVerifier;

  constructor(private readonly resource: string) {
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.privateKey = pair.privateKey;
    this.verifier = new JoseTokenVerifier({
      keys: { key: pair.publicKey },
      issuer: ISSUER,
      audience: resource,
    });
  }

  issue(
    subject: string,
    scope: string,
    over: { audience?: string; expiresIn?: string } = {},
  ): Promise<string> {
    return new SignJWT({ scope })
      .setProtectedHeader({ alg: 'ES256' })
      .setIssuer(ISSUER)
      .setSubject(subject)
      .setAudience(over.audience ?? this.resource)
      .setExpirationTime(over.expiresIn ?? '5m')
      .sign(this.privateKey);
  }

  readonly resolver = (): PrincipalResolver<TestUser> => new TokenPrincipals(this.verifier);
}

class TokenPrincipals extends PrincipalResolver<TestUser> {
  private readonly known = new Map<string, PrincipalInput<TestUser>>();

  constructor(private readonly verifier: JoseTokenVerifier) {
    super();
  }

  async resolve({ token }: PrincipalSource): Promise<PrincipalInput<TestUser> | null> {
    if (token === undefined) return null;
    const { subject, scopes = [] } = await this.verifier.verify(token);
    const user = { id: subject, permissions: scopes };
    const principal = { id: subject, kind: 'user', user, scopes, credentialId: token.slice(-16) } as const;
    this.known.set(subject, principal);
    return principal;
  }

  override reload({ id }: PrincipalRef): PrincipalInput<TestUser> | null {
    return this.known.get(id) ?? null;
  }
}

export interface TokenApp {
  readonly app: INestApplication;
  readonly url: string;
  issue: Tokens['issue'];
}

/** An application whose MCP endpoint is a protected resource, on a loopback address. */
export async function startTokenApp(options: {
  readonly adapter: AdapterName;
  readonly providers: ModuleMetadata['providers'];
  readonly mcp?: Partial<McpSurfaceOptions>;
  readonly capabilities?: CapabilitiesModuleOptions;
  readonly imports?: (resource: string) => ModuleMetadata['imports'];
}): Promise<TokenApp> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/mcp`;
  const tokens = new Tokens(url);
  const authorization = {
    resource: url,
    authorizationServers: [ISSUER],
    scopesSupported: ['notes:read', 'offline_access'],
  };
  const testing = await Test.createTestingModule({
    imports: [
      CapabilitiesModule.forRoot({
        policy: TokenPolicy,
        principals: { useFactory: tokens.resolver },
        ...options.capabilities,
      }),
      McpSurfaceModule.forRoot({ version: '1.0.0', authorization, ...options.mcp }),
      ...(options.imports?.(url) ?? []),
    ],
    providers: options.providers,
  }).compile();
  const app =
    options.adapter === 'fastify'
      ? testing.createNestApplication(new FastifyAdapter())
      : testing.createNestApplication();
  await app.listen(port, '127.0.0.1');
  return { app, url, issue: (subject, scope, over) => tokens.issue(subject, scope, over) };
}
