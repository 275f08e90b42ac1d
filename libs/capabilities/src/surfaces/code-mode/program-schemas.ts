import { z } from 'zod/v4';
import { DIAGNOSTIC_KINDS } from './program/diagnostic.js';

/** Longest program, UTF-16 code units. */
const CODE_LENGTH = 32_768;
const QUERY_LENGTH = 1_000;
const PAGE_LENGTH = 100;

export const noInput = z.strictObject({});

/** Input of the search, outside a program and inside. */
export const searchInput = z.strictObject({
  query: z
    .string()
    .max(QUERY_LENGTH)
    .optional()
    .describe('Words, or the exact name of a tool. Empty finds everything and adds an overview.'),
  limit: z.int().min(1).max(PAGE_LENGTH).optional().describe('Matches in one page. Default 5.'),
  offset: z.int().min(0).optional().describe('Matches to skip: `next.offset` of the page before. Default 0.'),
});

export const searchOutput = z.object({
  matches: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      score: z.number(),
      signature: z.string().describe('TypeScript declaration.'),
    }),
  ),
  offset: z.int(),
  remaining: z.int().describe('Matches after this page.'),
  next: z.object({ offset: z.int() }).nullable(),
  total: z.int().describe('Tools in the catalogue, whatever matched.'),
  catalogue: z.string().optional().describe('Overview of all tools, with as many declarations as fit.'),
});

export const executeInput = z.strictObject({
  code: z
    .string()
    .max(CODE_LENGTH)
    .describe(
      'Body of an async JavaScript function with `tools` and `console`. Its return value is the result.',
    ),
});

export const executeOutput = z.object({
  result: z.unknown().describe('What the program returned, as JSON; null when it failed.'),
  logs: z.array(z.string()).describe('What it logged, as "level: text".'),
  diagnostic: z
    .object({
      kind: z.enum(DIAGNOSTIC_KINDS),
      message: z.string(),
      tag: z.string().optional(),
      approvals: z
        .array(
          z.object({
            approvalId: z.string(),
            decideBy: z.string(),
            executeBy: z.string().optional(),
            reasons: z.array(z.string()),
            links: z.record(z.string(), z.string()),
          }),
        )
        .optional(),
    })
    .nullable()
    .describe('Why the program did not end well; null when it did.'),
  toolCalls: z.array(z.string()).describe('Tools that it called, in order.'),
  truncated: z.boolean().describe('True when the result or the logs were cut.'),
});
