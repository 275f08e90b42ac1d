import { Test } from '@nestjs/testing';
import { CapabilitiesModule, Capability, CapabilityHost } from 'nest-capabilities';
import {
  CapabilityCompletion,
  CapabilityPrompt,
  CapabilityResource,
  McpSurfaceModule,
  type McpSurfaceOptions,
} from 'nest-capabilities/mcp';
import { z } from 'zod';

const OPEN = { expose: ['mcp'], risk: 'low', permission: null } as const;

async function problemsOf(
  provider: new () => object,
  mcp: Partial<McpSurfaceOptions>[] = [{}],
): Promise<string> {
  const testing = await Test.createTestingModule({
    imports: [
      CapabilitiesModule.forRoot({}),
      ...mcp.map((options) => McpSurfaceModule.forRoot({ version: '1.0.0', anonymous: true, ...options })),
    ],
    providers: [provider],
  }).compile();
  const app = testing.createNestApplication();
  try {
    await app.init();
    return 'started';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await app.close().catch(() => undefined);
  }
}

describe('an MCP endpoint refuses to start', () => {
  it.each([
    ['no token', z.object({ a: z.string().meta({ 'x-mcp-header': 'a b' }) }), 'not a header token'],
    ['a number', z.object({ a: z.number().meta({ 'x-mcp-header': 'A' }) }), 'string, integer or boolean'],
    [
      'a name twice',
      z.object({
        a: z.string().meta({ 'x-mcp-header': 'Same' }),
        b: z.string().meta({ 'x-mcp-header': 'sAME' }),
      }),
      'used twice',
    ],
    [
      'an item of a list',
      z.object({ a: z.array(z.object({ b: z.string().meta({ 'x-mcp-header': 'B' }) })) }),
      'through "properties" alone',
    ],
  ])('for x-mcp-header on %s', async (_what, inputSchema, problem) => {
    @CapabilityHost(OPEN)
    class Tools {
      @Capability.read({ name: 'tool', description: 'A tool.', inputSchema })
      tool(_input: object): void {}
    }

    const message = await problemsOf(Tools);
    expect(message).toContain('tool');
    expect(message).toContain(problem);
  });

  it('for addresses and targets that are missing, doubled or malformed, all at once', async () => {
    @CapabilityHost(OPEN)
    class Declared {
      @CapabilityResource({ name: 'one', uri: 'a://1', description: 'One.' })
      one(): string {
        return '1';
      }
      @CapabilityResource({ name: 'two', uri: 'a://1', description: 'Two.' })
      two(): string {
        return '2';
      }
      @CapabilityPrompt({ name: 'ask', description: 'Asks.' })
      ask(): string {
        return 'Ask.';
      }
      @CapabilityCompletion({ name: 'complete', argument: 'topic' })
      complete(): readonly string[] {
        return [];
      }
    }

    const message = await problemsOf(Declared);
    expect(message).toContain('a://1');
    expect(message).toContain('`prompt` or `uriTemplate`');
  });

  it('for a template variable that is no input', async () => {
    @CapabilityHost(OPEN)
    class Declared {
      @CapabilityResource({
        name: 'item',
        uriTemplate: 'a://{id}/{part}',
        description: 'An item.',
        inputSchema: z.object({ id: z.string() }),
      })
      item(): string {
        return '1';
      }
    }

    expect(await problemsOf(Declared)).toContain('{part}');
  });

  it.each<[string, Partial<McpSurfaceOptions>[], string]>([
    ['a short secret', [{ secret: 'short' }], '`secret`'],
    [
      'two endpoints at one path',
      [{ instructions: 'a' }, { instructions: 'b' }],
      'two endpoints have the path /mcp',
    ],
    ['an origin with a path', [{ allowedOrigins: ['https://a.example/x'] }], 'is no origin'],
    ['a body limit of no bytes', [{ bodyLimit: 0 }], '`bodyLimit`'],
    [
      'a resource with a trailing slash and no authorization server',
      [{ authorization: { resource: 'https://a.example/mcp/', authorizationServers: [] } }],
      '`authorization.resource`',
    ],
  ])('for %s', async (_what, options, problem) => {
    @CapabilityHost(OPEN)
    class Tools {
      @Capability.read({ name: 'tool', description: 'A tool.' })
      tool(): void {}
    }

    expect(await problemsOf(Tools, options)).toContain(problem);
  });

  it('and starts when everything is in order', async () => {
    @CapabilityHost(OPEN)
    class Tools {
      @Capability.read({ name: 'tool', description: 'A tool.' })
      tool(): void {}
    }

    expect(await problemsOf(Tools)).toBe('started');
  });
});
