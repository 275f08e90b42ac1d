import { Module } from '@nestjs/common';
import { CapabilitiesModule } from 'nest-capabilities';
import { AssistantSurfaceModule } from 'nest-capabilities/assistant';
import { McpSurfaceModule } from 'nest-capabilities/mcp';
import { RestSurfaceModule } from 'nest-capabilities/rest';
import { ArticlesModule } from './articles/articles.module.js';
import { AssistantModule } from './assistant/assistant.module.js';
import { CustomersModule } from './customers/customers.module.js';
import { DataModule } from './data/data.module.js';
import { mcpUrl } from './desk-address.js';
import { DeskModule } from './desk/desk.module.js';
import { DocumentsModule } from './documents/documents.module.js';
import { DEMO_ISSUER } from './identity/demo-tokens.js';
import { DeskPolicy, internalIsForManagers } from './identity/desk.policy.js';
import { DeskPrincipalResolver } from './identity/desk-principal.resolver.js';
import { IdentityModule } from './identity/identity.module.js';
import { OrdersModule } from './orders/orders.module.js';
import { largeRefundsNeedApproval } from './orders/refund-approval.policy.js';
import { DeskDatabase } from './store/desk-database.js';
import { StoreModule } from './store/store.module.js';

@Module({
  imports: [
    IdentityModule,
    DataModule,
    CapabilitiesModule.forRoot({
      policy: { useExisting: DeskPolicy },
      principals: { useExisting: DeskPrincipalResolver },
      policies: [internalIsForManagers, largeRefundsNeedApproval],
      imports: [StoreModule],
      store: { inject: [DeskDatabase], useFactory: (database: DeskDatabase) => database.open() },
      defaults: { expose: ['rest', 'mcp', 'assistant', 'cli', 'direct'], risk: 'low' },
    }),
    RestSurfaceModule.forRoot(),
    McpSurfaceModule.forRoot({
      name: 'support-desk',
      title: 'Support desk',
      version: '1.0.0',
      instructions: 'Orders, customers and documents of a support desk. Amounts are in cents.',
      authorization: {
        resource: mcpUrl(),
        authorizationServers: [DEMO_ISSUER],
        scopesSupported: ['orders:read', 'customers:read', 'documents:read'],
      },
    }),
    AssistantSurfaceModule.forRoot({
      imports: [StoreModule],
      store: { inject: [DeskDatabase], useFactory: (database: DeskDatabase) => database.conversations() },
    }),
    AssistantModule,
    OrdersModule,
    CustomersModule,
    DocumentsModule,
    DeskModule,
    ArticlesModule,
  ],
})
export class AppModule {}
