import { z } from 'zod';
import {
  capabilityToListEntry,
  defineCapability as define,
  MCP_PROTOCOL_VERSION,
  renderCapabilityText,
  toJsonSchema,
} from './index.js';

const readDocument = define({
  name: 'read_document',
  description: 'Read one document by slug.',
  inputSchema: z.object({ slug: z.string(), state: z.enum(['draft', 'final']).optional() }),
  outputSchema: z.object({ title: z.string(), pages: z.number().default(1) }),
  annotations: { readOnly: true, destructive: false },
  requiredPermission: 'documents:read',
  run: async ({ slug }) => ({ title: slug }),
});

describe('capabilityToListEntry', () => {
  it('tells name, description, input and hints, and never the output', () => {
    expect(capabilityToListEntry(readDocument)).toEqual({
      name: 'read_document',
      description: 'Read one document by slug.',
      inputSchema: {
        type: 'object',
        properties: { slug: { type: 'string' }, state: { type: 'string', enum: ['draft', 'final'] } },
        required: ['slug'],
      },
      annotations: { readOnlyHint: true, destructiveHint: false },
    });
  });

  it('keeps every property of a union at the root, under type object', () => {
    const union = define({
      name: 'union',
      description: 'A union.',
      outputSchema: z.object({}),
      annotations: { readOnly: true, destructive: false },
      run: () => ({}),
      inputSchema: z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('a'), left: z.string() }),
        z.object({ kind: z.literal('b'), right: z.number() }),
      ]),
    });
    const { inputSchema } = capabilityToListEntry(union);
    expect(inputSchema['type']).toBe('object');
    expect(Object.keys(inputSchema['properties'] as object).sort()).toEqual(['kind', 'left', 'right']);
  });

  it('describes what a caller sends, also where parsing transforms it', () => {
    const schema = toJsonSchema(z.object({ size: z.string().transform((text) => text.length) }));
    expect(schema).toMatchObject({ type: 'object', properties: { size: { type: 'string' } } });
    expect(schema).not.toHaveProperty('$schema');
  });
});

describe('renderCapabilityText', () => {
  it.each([
    ['text', 'text'],
    [{ a: 1 }, '{\n  "a": 1\n}'],
    [undefined, ''],
    [null, 'null'],
    [10n, '"10"'],
  ])('renders %p', (value, text) => {
    expect(renderCapabilityText(value)).toBe(text);
  });
});

describe('constants', () => {
  it('name the latest revision with an initialize handshake', () => {
    expect(MCP_PROTOCOL_VERSION).toBe('2025-11-25');
  });
});
