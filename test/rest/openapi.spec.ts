import { Controller, Get, Injectable, type INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { Validator } from '@seriousme/openapi-schema-validator';
import { allow, Capability, CapabilityHost, CapabilityFailure } from 'nest-capabilities';
import { z } from 'zod';
import { ADAPTERS, startRestApp } from './rest-app.js';

const Inner = z.object({ n: z.string() }).meta({ id: 'Inner' });
const Colour = z.enum(['red', 'blue']).meta({ id: 'Colour' });
const Shape = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('dot') }),
    z.object({ kind: z.literal('box'), side: z.number() }),
  ])
  .meta({ id: 'Shape' });
interface Node {
  name: string;
  children: Node[];
}
const Tree: z.ZodType<Node> = z
  .lazy(() => z.object({ name: z.string(), children: z.array(Tree) }))
  .meta({ id: 'Tree' });

@Injectable()
@CapabilityHost({
  namespace: 'docs',
  expose: ['rest'],
  risk: 'low',
  permission: 'docs:read',
  tags: ['library'],
})
class DocsService {
  @Capability.write({
    title: 'Add a pair',
    description: 'Adds two inner things.',
    inputSchema: z.object({
      a: Inner,
      b: Inner,
      colour: Colour.optional(),
      shape: Shape.nullable(),
      tree: Tree.optional(),
    }),
    outputSchema: Inner,
    failures: {
      Closed: { schema: z.object({ closedAt: z.string() }), fix: 'Reopen it.', status: 409 },
      Full: { schema: z.object({}), fix: 'Make room.' },
    },
    http: { example: { a: { n: '1' }, b: { n: '2' } } },
  })
  pair(): { n: string } {
    throw new CapabilityFailure('Closed', { closedAt: 'now' });
  }

  @Capability.read({
    description: 'Finds.',
    http: { method: 'GET', path: '/docs/:id/parts', example: { id: 'd1', limit: 5 } },
    inputSchema: z.object({
      id: z.string().describe('Which one.'),
      limit: z.number().int().positive().optional(),
      tags: z.array(z.string()).optional(),
      at: z.date().nullable(),
    }),
    outputSchema: z.array(Inner),
    deprecated: 'Use docs.list.',
  })
  find(): { n: string }[] {
    return [];
  }

  @Capability.write({
    description: 'Renames.',
    http: { method: 'PATCH', path: '/docs/:id' },
    inputSchema: z.object({ id: z.string(), name: z.string(), inner: Inner.optional() }),
    outputSchema: z.void(),
  })
  rename(): void {}

  @Capability.read({
    description: 'Free for all.',
    permission: null,
    inputSchema: z.object({ when: z.coerce.date() }),
  })
  free(): null {
    return null;
  }

  @Capability.read({ description: 'Left out.', http: { document: false } })
  secret(): null {
    return null;
  }

  @Capability.write({
    description: 'A union as the whole input.',
    inputSchema: z.discriminatedUnion('action', [
      z.object({ action: z.literal('create'), title: z.string() }),
      z.object({ action: z.literal('delete'), id: z.string() }),
    ]),
  })
  mutate(): null {
    return null;
  }
}

@Injectable()
@CapabilityHost({ namespace: 'other', expose: ['rest'], risk: 'low', permission: 'docs:read' })
class OtherService {
  @Capability.read({
    description: 'Another Inner.',
    inputSchema: z.object({ inner: z.object({ m: z.number() }).meta({ id: 'Inner' }) }),
  })
  use(): null {
    return null;
  }
}

@Controller('plain')
class PlainController {
  @Get()
  get(): string {
    return 'plain';
  }
}

interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  deprecated?: boolean;
  security: object[];
  parameters: {
    name: string;
    in: string;
    required: boolean;
    schema: Record<string, unknown>;
    description?: string;
    example?: unknown;
  }[];
  requestBody?: {
    required: boolean;
    content: Record<string, { schema: Record<string, unknown>; examples?: unknown }>;
  };
  responses: Record<
    string,
    { description: string; content?: Record<string, { schema: Record<string, unknown> }> }
  >;
  'x-capability'?: string;
}

const create = (app: INestApplication): OpenAPIObject =>
  SwaggerModule.createDocument(
    app,
    new DocumentBuilder().setTitle('Test').setVersion('1').addBearerAuth().build(),
  );

const operation = (document: OpenAPIObject, path: string, method: string): Operation =>
  (document.paths[path] as Record<string, unknown> | undefined)?.[method] as Operation;

describe.each(ADAPTERS)('the OpenAPI document on %s', (adapter) => {
  let document: OpenAPIObject;
  let text: string;

  beforeAll(async () => {
    const rest = await startRestApp(adapter, {
      providers: [DocsService, OtherService],
      controllers: [PlainController],
      configure: (app) => (document = create(app)),
    });
    await rest.close();
    text = JSON.stringify(document);
  });

  it('is a valid OpenAPI 3.0 document', async () => {
    expect(document.openapi).toBe('3.0.0');
    const result = await new Validator().validate(JSON.parse(text) as Record<string, unknown>);
    expect(result).toEqual({ valid: true });
  });

  it('describes each operation', () => {
    const pair = operation(document, '/capabilities/docs.pair', 'post');
    expect(pair).toMatchObject({
      operationId: 'docs_pair',
      summary: 'Add a pair',
      description: 'Adds two inner things.',
      tags: ['docs', 'library'],
      security: [{ bearer: [] }],
      'x-capability': 'docs.pair',
    });
    expect(pair.deprecated).toBeUndefined();
    expect(pair.requestBody).toMatchObject({
      required: true,
      content: { 'application/json': { examples: { example: { value: { a: { n: '1' }, b: { n: '2' } } } } } },
    });
    expect(operation(document, '/capabilities/docs.free', 'post').security).toEqual([{ bearer: [] }, {}]);
  });

  it('puts parameters where they are read', () => {
    const find = operation(document, '/docs/{id}/parts', 'get');
    expect(find.requestBody).toBeUndefined();
    expect(find.parameters.map(({ name, in: place, required }) => [name, place, required])).toEqual([
      ['id', 'path', true],
      ['limit', 'query', false],
      ['tags', 'query', false],
      ['at', 'query', true],
    ]);
    expect(find.parameters[0]).toMatchObject({
      schema: { type: 'string', example: 'd1' },
      description: 'Which one.',
    });
    expect(find).toMatchObject({ deprecated: true, description: 'Finds.\n\nDeprecated: Use docs.list.' });
    const rename = operation(document, '/docs/{id}', 'patch');
    expect(rename.parameters).toMatchObject([{ name: 'id', in: 'path' }]);
    expect(rename.requestBody!.content['application/json']!.schema).toMatchObject({
      required: ['name'],
      additionalProperties: false,
    });
    expect(
      Object.keys(rename.requestBody!.content['application/json']!.schema['properties'] as object),
    ).toEqual(['name', 'inner']);
  });

  it('hoists named schemas to components, once each', () => {
    const schemas = document.components!.schemas as Record<string, Record<string, unknown>>;
    expect(text).not.toContain('$defs');
    const { schema } = operation(document, '/capabilities/docs.pair', 'post').requestBody!.content[
      'application/json'
    ]!;
    expect(schema['properties']).toMatchObject({
      a: { $ref: '#/components/schemas/Inner' },
      b: { $ref: '#/components/schemas/Inner' },
    });
    expect(JSON.parse(JSON.stringify(schemas['Colour']))).toEqual({ type: 'string', enum: ['red', 'blue'] });
    expect(schemas['Inner']!['properties']).toEqual({ n: { type: 'string' } });
    expect(JSON.stringify(schemas['Tree'])).toContain('#/components/schemas/Tree');
    expect(JSON.parse(JSON.stringify(schemas['Shape']))).not.toHaveProperty('properties');
    const references = [...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name!);
    expect(references.filter((name) => !Object.hasOwn(schemas, name))).toEqual([]);
  });

  it('gives two schemas of one name names of their own', () => {
    const { schema } = operation(document, '/capabilities/other.use', 'post').requestBody!.content[
      'application/json'
    ]!;
    const reference = (schema['properties'] as { inner: { $ref: string } }).inner.$ref;
    const schemas = document.components!.schemas as Record<string, { properties: object }>;
    expect(schemas[reference.split('/').at(-1)!]!.properties).toHaveProperty('m');
    expect(reference).not.toBe('#/components/schemas/Inner');
  });

  it('documents success, suspension and refusals', () => {
    const pair = operation(document, '/capabilities/docs.pair', 'post');
    expect(pair.responses['200']!.content!['application/json']!.schema).toMatchObject({
      $ref: expect.stringMatching(/Inner/) as string,
    });
    expect(Object.keys(pair.responses)).toEqual(
      expect.arrayContaining([
        '400',
        '401',
        '403',
        '404',
        '409',
        '413',
        '415',
        '422',
        '500',
        '503',
        '504',
        'default',
      ]),
    );
    expect(pair.responses['202']).toBeUndefined();
    expect(pair.responses['400']!.content!['application/json']!.schema).toEqual({
      $ref: '#/components/schemas/CapabilityErrorEnvelope',
    });
    expect(pair.responses['409']!.description).toContain('Closed: Reopen it.');
    expect(JSON.stringify(pair.responses['409'])).toContain('closedAt');
    expect(Object.keys(operation(document, '/docs/{id}', 'patch').responses)).toContain('204');
    expect(Object.keys(operation(document, '/docs/{id}', 'patch').responses)).not.toContain('200');
    expect(Object.keys(operation(document, '/docs/{id}/parts', 'get').responses)).not.toContain('415');
  });

  it('mentions every branch of a union', () => {
    const mutate = JSON.stringify(operation(document, '/capabilities/docs.mutate', 'post').requestBody);
    for (const word of ['create', 'delete', 'title', 'id']) expect(mutate).toContain(word);
  });

  it('leaves out what is hidden, and the routes for unknown names', () => {
    const paths = Object.keys(document.paths).filter((path) => !path.startsWith('/approvals'));
    expect(paths.sort()).toEqual([
      '/capabilities/docs.free',
      '/capabilities/docs.mutate',
      '/capabilities/docs.pair',
      '/capabilities/other.use',
      '/docs/{id}',
      '/docs/{id}/parts',
      '/plain',
    ]);
    expect(text).not.toContain('docs.secret');
  });
});

it('is the same at a second boot in the same process', async () => {
  const documents: string[] = [];
  for (let boot = 0; boot < 2; boot += 1) {
    const rest = await startRestApp('express', {
      providers: [OtherService, DocsService],
      configure: (app) => documents.push(JSON.stringify(create(app))),
    });
    await rest.close();
  }
  expect(documents[0]).toBe(documents[1]);
});

it('documents a suspension where a policy may ask for one', async () => {
  let document: OpenAPIObject | undefined;
  const rest = await startRestApp('express', {
    providers: [OtherService],
    capabilities: { policies: [{ name: 'all', phase: 'invocation', evaluate: () => allow() }] },
    configure: (app) => (document = create(app)),
  });
  await rest.close();
  const { responses } = operation(document!, '/capabilities/other.use', 'post');
  expect(responses['202']!.content!['application/json']!.schema).toEqual({
    $ref: '#/components/schemas/CapabilityApprovalRequired',
  });
});

it('is empty of capabilities with document: false, which still answer', async () => {
  let document: OpenAPIObject | undefined;
  const rest = await startRestApp('express', {
    providers: [DocsService],
    rest: { document: false },
    configure: (app) => (document = create(app)),
  });
  expect(Object.keys(document!.paths).filter((path) => path.includes('docs'))).toEqual([]);
  expect((await rest.call('docs.secret')).status).toBe(200);
  await rest.close();
});
