import { z } from 'zod';

export const SearchDocuments = z.object({
  text: z
    .string()
    .min(2)
    .max(100)
    .describe('Words to look for.')
    .meta({ examples: ['refund'] }),
});

export const DocumentHits = z.object({
  hits: z.array(z.object({ id: z.string(), title: z.string(), body: z.string() })),
});

export const PublishDocument = z.object({
  documentId: z
    .string()
    .describe('Document id.')
    .meta({ examples: ['doc_2'] }),
});

export const Published = z.object({ id: z.string(), state: z.enum(['draft', 'published']) });
