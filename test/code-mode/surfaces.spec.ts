import { jest } from '@jest/globals';
import { Injectable, Module } from '@nestjs/common';
import {
  AuditSink,
  Capability,
  CapabilityDefinitionError,
  CapabilityHost,
  CapabilityRegistry,
  completePrincipal,
} from 'nest-capabilities';
import {
  CodeModeModule,
  type CodeModeModuleOptions,
  Sandbox,
  type SandboxEnd,
  type SandboxProgram,
} from 'nest-capabilities/code-mode';
import { AssistantService, AssistantSurfaceModule } from 'nest-capabilities/assistant';
import { McpSurfaceModule } from 'nest-capabilities/mcp';
import { z } from 'zod';
import { send } from '../mcp/support/raw-client.js';
import { boot, reader } from '../nest/support.js';
import { type RestApp, startRestApp } from '../rest/rest-app.js';
import { bootPrograms, closeApps, type ProgramApp, writer } from './program-app.js';

// The first program of a process loads the sandbox.
jest.setTimeout(30_000);

@CapabilityHost({ namespace: 'docs', expose: ['code-mode'], permission: 'docs:read', risk: 'low' })
class Docs {
  @Capability.read({
    description: 'Doubles a number.',
    inputSchema: z.strictObject({ n: z.number() }),
    outputSchema: z.number(),
  })
  double({ n }: { n: number }) {
    return n * 2;
  }

  @Capability.read({ description: 'For writers.', permission: 'docs:write', outputSchema: z.string() })
  secret() {
    return 'secret';
  }
}

const CODE = "return await tools['docs.double']({ n: 21 })";
const EMPTY = { logs: [], diagnostic: null, truncated: false };

describe.each(['express', 'fastify'] as const)('code mode on %s', (adapter) => {
  let server: RestApp;
  let mcp: string;

  beforeAll(async () => {
    server = await startRestApp(adapter, {
      providers: [Docs],
      imports: [
        CodeModeModule.forRoot({ expose: ['rest', 'mcp', 'assistant'], permission: 'docs:read' }),
        AssistantSurfaceModule.forRoot(),
        McpSurfaceModule.forRoot({ version: '1.0.0' }),
      ],
    });
    mcp = new URL('/mcp', await server.app.getUrl()).href;
  });
  afterAll(() => server.close());

  it('is reached over REST; what goes wrong in a program is data', async () => {
    const reply = await server.call('code.execute', { code: CODE });
    expect(reply).toMatchObject({
      status: 200,
      json: { result: 42, toolCalls: ['docs.double'], ...EMPTY },
    });
    const failed = await server.call('code.execute', { code: 'throw new Error("mine")' });
    expect(failed).toMatchObject({ status: 200, json: { diagnostic: { kind: 'ExecutionFailure' } } });
    expect(await server.call('code.search', { query: 'double' })).toMatchObject({
      status: 200,
      json: { matches: [{ name: 'docs.double' }], total: 2 },
    });
    expect((await server.call('code.execute', { code: 5 })).status).toBe(400);
    expect((await server.call('code.execute', { code: CODE }, { as: null })).status).toBe(401);
    expect((await server.call('docs.double', { n: 1 })).status).toBe(404);
  });

  it('is two tools of the assistant', async () => {
    const assistant = server.app.get(AssistantService);
    const caller = completePrincipal(reader)!;
    const names = (await assistant.tools(caller, { format: 'mcp' })).map(({ name }) => name);
    expect(names).toEqual(['code_execute', 'code_search']);
    const answer = await assistant.call(caller, 'code_execute', { code: CODE });
    expect(JSON.stringify(answer)).toContain('"result":42');
    expect(answer.status).toBe('completed');
  });

  it('is two tools over MCP, and the full declarations are a resource', async () => {
    const list = await send(mcp, 'tools/list', {}, { token: 'reader' });
    const { tools } = list.json['result'] as { tools: readonly { name: string }[] };
    expect(tools.map(({ name }) => name)).toEqual(['code_execute', 'code_search']);
    const called = await send(
      mcp,
      'tools/call',
      { name: 'code_execute', arguments: { code: CODE } },
      { token: 'reader' },
    );
    expect(called.json['result']).toMatchObject({
      structuredContent: { result: 42, toolCalls: ['docs.double'], ...EMPTY },
    });
    const threw = await send(
      mcp,
      'tools/call',
      { name: 'code_execute', arguments: { code: 'throw 1' } },
      { token: 'reader' },
    );
    expect(threw.json['result'].isError ?? false).toBe(false);
    const uri = 'capabilities://code-mode/declarations.d.ts';
    const read = await send(mcp, 'resources/read', { uri }, { token: 'reader' });
    const { contents } = read.json['result'] as { contents: readonly { text: string }[] };
    expect(contents[0]!.text).toContain('"docs.double"(input: { readonly n: number; }): Promise<number>;');
    expect(contents[0]!.text).not.toContain('docs.secret');
  });
});

describe('what programs may call', () => {
  let programs: ProgramApp;
  const tools = async (options: Partial<CodeModeModuleOptions>): Promise<readonly string[]> => {
    programs = await bootPrograms(options);
    return (await programs.run('return Object.keys(tools)')).result as readonly string[];
  };
  afterAll(closeApps);

  it('leaves out what is excluded, filtered, or consequential', async () => {
    expect(await tools({ exclude: ['docs.write'] })).not.toContain('docs.write');
    const { diagnostic, toolCalls } = await programs.run("return await tools['docs.write']({ text: 'x' })");
    expect(diagnostic).toMatchObject({ kind: 'UnknownTool', tag: 'UnknownCapability' });
    expect(toolCalls).toEqual(['docs.write']);
    expect(programs.effects.written).toEqual([]);

    const readOnly = await tools({ readOnly: true });
    expect(readOnly).toContain('docs.echo');
    expect(readOnly).not.toContain('docs.publish');
    const { annotations } = programs.app.get(CapabilityRegistry).get('code.execute')!;
    expect(annotations).toEqual({ readOnly: true, destructive: false });

    expect(await tools({ filter: ({ name }) => name === 'docs.echo' })).toEqual(['docs.echo']);
  });

  it('takes its names from the namespace, and installs its surface', async () => {
    programs = await bootPrograms({ namespace: 'agent.programs' });
    const registry = programs.app.get(CapabilityRegistry);
    expect(registry.get('agent.programs.search')).toBeDefined();
    expect(registry.get('agent.programs.execute')?.annotations).toEqual({
      readOnly: false,
      destructive: true,
    });
    expect(registry.installedSurfaces()).toContain('code-mode');
  });

  it('every call is recorded as one of the principal on code-mode, tied to the program', async () => {
    const events: {
      readonly type: string;
      readonly capability: string;
      readonly surface: string;
      readonly correlationId: string;
    }[] = [];
    class Kept extends AuditSink {
      write(event: never): void {
        events.push(event);
      }
    }
    programs = await bootPrograms({}, { sinks: [Kept] });
    await programs.run("await tools['docs.echo']({ text: 'x' }); await tools['docs.write']({ text: 'x' })", {
      principal: reader,
    });
    const program = events.find(({ capability }) => capability === 'code.execute')!;
    const calls = events.filter(({ surface }) => surface === 'code-mode');
    expect(new Set(calls.map(({ capability }) => capability))).toEqual(new Set(['docs.echo', 'docs.write']));
    expect(new Set(calls.map(({ correlationId }) => correlationId))).toEqual(
      new Set([program.correlationId]),
    );
    expect(calls.map(({ type }) => type)).toContain('denied');
  });
});

describe('the options', () => {
  afterAll(closeApps);

  it.each<[Partial<CodeModeModuleOptions>, string]>([
    [{ expose: ['code-mode'] }, '`expose` names code-mode'],
    [{ exclude: ['docs.gone'] }, '`exclude` names docs.gone'],
    [{ namespace: 'a..b' }, '`namespace` cannot prefix a name'],
    [{ limits: { calls: -1 } }, '`limits.calls` is -1'],
    [{ limits: { outputBytes: 1.5 } }, '`limits.outputBytes` is 1.5'],
    [{ limits: { memoryBytes: 0 } }, '`limits.memoryBytes` is 0'],
    [{ limits: { wallClockMs: Number.NaN } }, '`limits.wallClockMs` is NaN'],
    [{ programs: 0 }, '`programs` is 0'],
    [{ resumeWithin: 0 }, '`resumeWithin` is 0'],
    [{ catalogue: { budget: -1 } }, '`catalogue`'],
  ])('%j stop the boot', async (options, problem) => {
    const booting = boot({
      imports: [CodeModeModule.forRoot({ expose: ['direct'], permission: null, ...options })],
      providers: [Docs],
    });
    await expect(booting).rejects.toBeInstanceOf(CapabilityDefinitionError);
    await expect(booting).rejects.toThrow(problem);
  });

  it('bring another sandbox, as an instance or by its token', async () => {
    @Injectable()
    class Parrot extends Sandbox {
      readonly open = (): Promise<void> => Promise.resolve();

      async run({ code, call }: SandboxProgram): Promise<SandboxEnd> {
        const reply = await call({ name: 'docs.echo', input: '{"text":"x"}', logs: ['log: said'] });
        const result = JSON.stringify([code, reply.ok && reply.value]);
        return { status: 'returned', result, cut: false, logs: [], dropped: false };
      }
    }
    @Module({ providers: [Parrot], exports: [Parrot] })
    class Parrots {}
    const choices = [{ sandbox: new Parrot() }, { sandbox: Parrot, imports: [Parrots] }];
    for (const choice of choices) {
      const programs = await bootPrograms(choice);
      expect(await programs.run('anything')).toEqual({
        result: ['anything', '{"text":"x"}'],
        logs: ['log: said'],
        diagnostic: null,
        toolCalls: ['docs.echo'],
        truncated: false,
      });
    }
  });

  it('may be zero calls and zero bytes', async () => {
    const programs = await bootPrograms({ limits: { calls: 0, outputBytes: 0 } });
    expect(await programs.run('return null', { principal: writer })).toEqual({
      result: null,
      toolCalls: [],
      ...EMPTY,
    });
  });
});
