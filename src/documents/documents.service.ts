import { Injectable, NotFoundException, Scope } from '@nestjs/common';
import { Capability, CapabilityHost, type HandlerContext } from 'nest-capabilities';
import type { z } from 'zod';
import { DeskData } from '../data/desk-data.js';
import type { DocumentRecord } from '../data/desk-records.js';
import * as schemas from './documents.schemas.js';

/** One instance per call, as a service with a per-request unit of work has. */
@Injectable({ scope: Scope.REQUEST })
@CapabilityHost({ namespace: 'documents', permission: 'documents:read', tags: ['documents'] })
export class DocumentsService {
  constructor(private readonly data: DeskData) {}

  @Capability.read({
    description: 'Search the published documents of the desk.',
    inputSchema: schemas.SearchDocuments,
    outputSchema: schemas.DocumentHits,
    cites: ({ hits }) => hits.map(({ id }) => ({ product: 'desk', kind: 'document', id })),
  })
  search(
    input: z.output<typeof schemas.SearchDocuments>,
    ctx: HandlerContext,
  ): z.input<typeof schemas.DocumentHits> {
    const text = input.text.toLowerCase();
    const hits = this.ofTenant(ctx).filter(
      ({ state, title, body }) => state === 'published' && `${title} ${body}`.toLowerCase().includes(text),
    );
    return { hits };
  }

  @Capability.write({
    description: 'Publish a draft.',
    permission: 'documents:write',
    inputSchema: schemas.PublishDocument,
    outputSchema: schemas.Published,
    idempotent: true,
  })
  publish(
    input: z.output<typeof schemas.PublishDocument>,
    ctx: HandlerContext,
  ): z.input<typeof schemas.Published> {
    const document = this.ofTenant(ctx).find(({ id }) => id === input.documentId);
    if (document === undefined) throw new NotFoundException(`document ${input.documentId} not found`);
    document.state = 'published';
    return document;
  }

  private ofTenant(ctx: HandlerContext): readonly DocumentRecord[] {
    return [...this.data.documents.values()].filter(({ tenant }) => tenant === ctx.principal.tenant);
  }
}
