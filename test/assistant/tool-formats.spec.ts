import { Injectable, type Type } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import {
  CapabilitiesModule,
  Capability,
  type CapabilityOptions,
  type PrincipalInput,
} from 'nest-capabilities';
import {
  AssistantService,
  AssistantSurfaceModule,
  type Provider,
  PROVIDERS,
  validateTool,
} from 'nest-capabilities/assistant';
import { MemoryCapabilityStore } from 'nest-capabilities/memory';
import { z } from 'zod';

const somebody: PrincipalInput = { id: 'ada', kind: 'user', user: null };

const BASE = {
  description: 'Does it.',
  sideEffect: 'read',
  permission: null,
  risk: 'low',
  expose: ['assistant'],
} as const satisfies Partial<CapabilityOptions>;

const Tree: z.ZodType = z.lazy(() => z.object({ name: z.string(), children: z.array(Tree).optional() }));

const RICH = z.object({
  id: z.string().min(1).max(20).describe('Which one.'),
  amount: z.number().int().min(1).max(100).default(5),
  when: z.date().optional(),
  mode: z.enum(['fast', 'slow']).optional(),
  on: z.literal(true).optional(),
  note: z.string().nullable().optional(),
  where: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('shop'), shop: z.string(), floor: z.number().optional() }),
    z.object({ kind: z.literal('web'), url: z.url().optional() }),
  ]),
  lines: z.array(z.object({ sku: z.string(), count: z.number().optional() })),
});

/** One level more than strict mode takes. */
const DEEP = Array.from({ length: 10 }).reduce<z.ZodType>((inner) => z.object({ inner }), z.string());

const given: unknown[] = [];

@Injectable()
class Host {
  @Capability({ ...BASE, name: 'rich.one', inputSchema: RICH })
  rich(input: z.output<typeof RICH>): void {
    given.push(input);
  }

  @Capability({ ...BASE, name: '2fa.reset' })
  reset(): string {
    return 'reset';
  }

  @Capability({ ...BASE, name: 'map.put', inputSchema: z.object({ map: z.record(z.string(), z.number()) }) })
  put(): void {}

  @Capability({ ...BASE, name: 'tree.grow', inputSchema: z.object({ root: Tree }) })
  grow(): void {}

  @Capability({ ...BASE, name: 'very.deep', inputSchema: z.object({ deep: DEEP }) })
  deep(): void {}

  @Capability({ ...BASE, name: 'bound.one', discovery: 'contextual' })
  bound(): void {}
}

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

async function start(host: Type, providers: readonly Provider[] = PROVIDERS): Promise<AssistantService> {
  const module = await Test.createTestingModule({
    imports: [
      CapabilitiesModule.forRoot({ store: MemoryCapabilityStore }),
      AssistantSurfaceModule.forRoot({ providers }),
    ],
    providers: [host],
  }).compile();
  closing.push(() => module.close());
  await module.init();
  return module.get(AssistantService);
}

describe('tool declarations', () => {
  it('have the shape and the names of each provider, without contextual capabilities', async () => {
    const assistant = await start(Host);
    const names = ['_2fa_reset', 'map_put', 'rich_one', 'tree_grow', 'very_deep'];
    const responses = await assistant.tools(somebody, { format: 'openai-responses' });
    expect(responses.map(({ name }) => name)).toEqual(names);
    expect(responses[0]).toEqual({
      type: 'function',
      name: '_2fa_reset',
      description: 'Does it.',
      parameters: { type: 'object', properties: {}, additionalProperties: false },
      strict: false,
    });
    const chat = await assistant.tools(somebody, { format: 'openai-chat', strict: true });
    expect(chat[0]).toEqual({
      type: 'function',
      function: {
        name: '_2fa_reset',
        description: 'Does it.',
        parameters: { type: 'object', properties: {}, required: [], additionalProperties: false },
        strict: true,
      },
    });
    const anthropic = await assistant.tools(somebody, { format: 'anthropic' });
    expect(anthropic[1]).toMatchObject({
      name: 'map_put',
      input_schema: { type: 'object', required: ['map'] },
    });
    const mcp = await assistant.tools(somebody, { format: 'mcp' });
    expect(mcp[1]).toMatchObject({
      name: 'map_put',
      title: 'Map put',
      inputSchema: { type: 'object' },
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    });
    const gemini = await assistant.tools(somebody, { format: 'gemini' });
    expect(gemini[1]).toMatchObject({ name: 'map_put', parametersJsonSchema: { type: 'object' } });
    expect(Object.keys(await assistant.tools(somebody, { format: 'ai-sdk' }))).toEqual(names);
    expect(await assistant.call(somebody, '_2fa_reset', {})).toMatchObject({
      output: 'reset',
      content: 'reset',
    });
    const dotted = await assistant.call(somebody, '2fa.reset', {});
    expect(dotted).toMatchObject({ status: 'failed', error: { reason: 'NOT_FOUND' } });
  });

  it('are strict where the schema has a strict form, and say what was left out', async () => {
    const assistant = await start(Host);
    const strict = await assistant.tools(somebody, { format: 'openai-responses', strict: true });
    expect(strict.map(({ name, strict: is }) => [name, is])).toEqual([
      ['_2fa_reset', true],
      ['map_put', false],
      ['rich_one', true],
      ['tree_grow', true],
      ['very_deep', false],
    ]);
    const { parameters } = strict.find(({ name }) => name === 'rich_one')!;
    const properties = parameters['properties'] as Record<string, Record<string, unknown>>;
    expect(parameters['required']).toEqual(Object.keys(properties));
    expect(properties['id']).toEqual({
      type: 'string',
      description: 'Which one. Rules: minLength 1, maxLength 20.',
    });
    expect(properties['amount']).toEqual({
      anyOf: [{ type: 'integer', minimum: 1, maximum: 100 }, { type: 'null' }],
      description: 'Rules: default 5.',
    });
    expect(properties['note']).toEqual({ anyOf: [{ type: 'string' }, { type: 'null' }] });
  });

  it('take the nulls of strict arguments back, and only those', async () => {
    const assistant = await start(Host);
    const line = { sku: 'a', count: null };
    const args = {
      id: 'x',
      amount: null,
      when: null,
      mode: null,
      on: null,
      note: null,
      where: { kind: 'shop', shop: 's', floor: null },
      lines: [line, { sku: 'b', count: 2 }],
    };
    expect(await assistant.call(somebody, 'rich_one', args, { strict: true })).toMatchObject({
      status: 'completed',
    });
    expect(given.splice(0)).toEqual([
      {
        id: 'x',
        amount: 5,
        note: null,
        where: { kind: 'shop', shop: 's' },
        lines: [{ sku: 'a' }, { sku: 'b', count: 2 }],
      },
    ]);
    const plain = await assistant.call(somebody, 'rich_one', args);
    expect(plain).toMatchObject({ status: 'failed', error: { reason: 'INPUT_INVALID' } });
    const wrong = await assistant.call(somebody, 'rich_one', { ...args, id: null }, { strict: true });
    expect(wrong).toMatchObject({ status: 'failed', error: { field: 'id' } });
    expect(given).toEqual([]);
  });

  it('keep every documented limit of every provider', async () => {
    const assistant = await start(Host);
    const report = assistant.providerReport();
    expect(report).toHaveLength(6 * PROVIDERS.length);
    expect(report.filter(({ problems }) => problems.length > 0)).toEqual([]);
    const gemini = await assistant.tools(somebody, { format: 'gemini' });
    for (const { name, parametersJsonSchema: schema } of gemini) {
      expect(validateTool('gemini', { name, schema })).toEqual([]);
    }
  });

  it('do not start with names that become one, or with a limit that is broken', async () => {
    @Injectable()
    class Twins {
      @Capability({ ...BASE, name: '2fa' })
      one(): void {}

      @Capability({ ...BASE, name: '_2fa' })
      two(): void {}
    }
    await expect(start(Twins)).rejects.toThrow(/2fa and|_2fa/);

    @Injectable()
    class Odd {
      @Capability({ ...BASE, name: 'odd', inputSchema: z.object({ 'filter[id]': z.string() }) })
      odd(): void {}
    }
    await expect(start(Odd, ['anthropic'])).rejects.toThrow(/filter\[id\].*anthropic\/property-names/s);
    await expect(start(Odd, ['openai'])).resolves.toBeDefined();
    await expect(start(Odd, ['bedrock' as never])).rejects.toThrow('providers names "bedrock"');
  });
});
