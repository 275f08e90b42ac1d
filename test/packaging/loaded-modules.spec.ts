import { execute } from './consumer.js';

async function packagesLoadedBy(way: 'import' | 'require', entry: string): Promise<string[]> {
  const urls = JSON.parse(
    await execute('node', ['test/packaging/list-loaded.mjs', way, entry], '.'),
  ) as string[];
  const names = urls.map((url) => {
    if (url.startsWith('node:')) return url;
    if (url.includes('/libs/capabilities/')) return 'nest-capabilities';
    return /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? url;
  });
  return [...new Set(names)].sort();
}

const NEVER_IN_ROOT =
  /^(@modelcontextprotocol\/.*|pg|@electric-sql\/.*|ioredis|bullmq|ai|run|openai|@anthropic-ai\/.*|jose|express|fastify|@nestjs\/(swagger|platform-.*))$/;
const NEST = /^(@nestjs\/.*|rxjs|reflect-metadata|express|fastify)$/;

describe.each(['import', 'require'] as const)('what `%s` of an entry point loads', (way) => {
  it('root: no protocol SDK, driver, queue, model SDK or HTTP adapter', async () => {
    const loaded = await packagesLoadedBy(way, 'nest-capabilities');
    expect(loaded).toContain('nest-capabilities');
    expect(loaded.filter((name) => NEVER_IN_ROOT.test(name))).toEqual([]);
  });

  it('./runtime: no Nest, no DTO library, no driver', async () => {
    const loaded = await packagesLoadedBy(way, 'nest-capabilities/runtime');
    expect(loaded).toContain('nest-capabilities');
    expect(loaded.filter((name) => NEST.test(name) || NEVER_IN_ROOT.test(name))).toEqual([]);
  });

  it('./assistant: no model SDK', async () => {
    const loaded = await packagesLoadedBy(way, 'nest-capabilities/assistant');
    expect(loaded).toContain('nest-capabilities');
    expect(loaded.filter((name) => NEVER_IN_ROOT.test(name) || name.startsWith('@ai-sdk/'))).toEqual([]);
  });

  it('./contract: nothing but itself and the schema library', async () => {
    const loaded = await packagesLoadedBy(way, 'nest-capabilities/contract');
    const own = loaded.filter((name) => !name.endsWith('/test/packaging/list-loaded.mjs'));
    expect(own.filter((name) => name !== 'zod')).toEqual(['nest-capabilities']);
  });
});
