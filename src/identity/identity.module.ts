import { Global, Module } from '@nestjs/common';
import { TokenVerifier } from 'nest-capabilities';
import { JoseTokenVerifier } from 'nest-capabilities/jose';
import { mcpUrl } from '../desk-address.js';
import { DEMO_ISSUER, DemoTokens } from './demo-tokens.js';
import { DeskPolicy } from './desk.policy.js';
import { DeskPrincipalResolver } from './desk-principal.resolver.js';
import { UserDirectory } from './user-directory.js';

@Global()
@Module({
  providers: [
    UserDirectory,
    DemoTokens,
    DeskPolicy,
    DeskPrincipalResolver,
    {
      provide: TokenVerifier,
      useFactory: (tokens: DemoTokens) =>
        new JoseTokenVerifier({
          keys: { key: tokens.publicKey },
          issuer: DEMO_ISSUER,
          audience: mcpUrl(),
          algorithms: ['ES256'],
        }),
      inject: [DemoTokens],
    },
  ],
  exports: [UserDirectory, DemoTokens, DeskPolicy, DeskPrincipalResolver, TokenVerifier],
})
export class IdentityModule {}
