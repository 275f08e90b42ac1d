import { Inject, type Type } from '@nestjs/common';
import type { z } from 'zod/v4';
import type { HandlerContext } from '../../contract/handler-context.js';
import { Capability } from '../../registry/capability.decorator.js';
import { CapabilityHost } from '../../registry/capability-host.decorator.js';
import { CodeMode } from './code-mode.js';
import type { ResolvedCodeModeOptions } from './code-mode-options.js';
import { executeInput, executeOutput, noInput, searchInput, searchOutput } from './program-schemas.js';

/** Beyond a program's own time: what starting it and ending its calls may take. */
const TIMEOUT_GRACE_MS = 10_000;

/** Address of the full declarations, as an MCP resource. */
const DECLARATIONS_URI = 'capabilities://code-mode/declarations.d.ts';

/** The host of `search` and `execute`, with the names, exposure and permission that the options give them. */
export function codeModeHost(options: ResolvedCodeModeOptions): Type {
  const { namespace, expose, permission, readOnly, limits } = options;

  @CapabilityHost({ namespace, expose, permission, risk: 'high', tags: ['code-mode'] })
  class CodeModeCapabilities {
    constructor(@Inject(CodeMode) private readonly codeMode: CodeMode) {}

    @Capability.read({
      description:
        'Finds tools that a program may call, with their TypeScript declarations. An empty query adds an overview of the catalogue.',
      inputSchema: searchInput,
      outputSchema: searchOutput,
    })
    async search(
      input: z.output<typeof searchInput>,
      { principal }: HandlerContext,
    ): Promise<z.input<typeof searchOutput>> {
      return (await this.codeMode.search(principal, input)) as z.input<typeof searchOutput>;
    }

    @Capability({
      description: executeDescription(namespace),
      sideEffect: readOnly ? 'read' : 'destructive',
      inputSchema: executeInput,
      outputSchema: executeOutput,
      timeoutMs: limits.wallClockMs + TIMEOUT_GRACE_MS,
      // Every call of a program has a gate of its own.
      approval: { required: false },
    })
    async execute(
      { code }: z.output<typeof executeInput>,
      { principal, signal, executionId }: HandlerContext,
    ): Promise<z.input<typeof executeOutput>> {
      const result = await this.codeMode.run(code, { principal, signal, correlationId: executionId });
      return result as z.input<typeof executeOutput>;
    }
  }
  return CodeModeCapabilities;
}

/** The host of the full declarations, where MCP serves code mode. */
export function declarationsHost({ namespace, permission }: ResolvedCodeModeOptions): Type {
  @CapabilityHost({ namespace, expose: ['mcp'], permission, risk: 'low', tags: ['code-mode'] })
  class CodeModeDeclarations {
    constructor(@Inject(CodeMode) private readonly codeMode: CodeMode) {}

    @Capability.read({
      title: 'Tool declarations',
      description: 'TypeScript declarations of every tool that a program may call.',
      inputSchema: noInput,
      mcp: { resource: { uri: DECLARATIONS_URI, mimeType: 'text/plain' } },
    })
    async declarations(_input: z.output<typeof noInput>, { principal }: HandlerContext): Promise<string> {
      return this.codeMode.declarations(principal);
    }
  }
  return CodeModeDeclarations;
}

function executeDescription(namespace: string): string {
  return [
    'Runs one JavaScript program that can call many tools. `code` is the body of an async function.',
    'Call a tool with `await tools["namespace.name"](input)`, log with `console`, and `return` a JSON value.',
    'Independent calls can run together with `Promise.all`. A failed call throws an Error with `_tag` and public details.',
    'There is no network, file system, timer or module; `Date` and `Math.random()` are seeded.',
    `Find tools first with ${namespace}.search, or inside a program with \`await tools.$codemode.search({ query, limit, offset })\`.`,
    'A diagnostic of kind ApprovalRequired means that a person has to decide: send the same code again afterwards; completed calls are not repeated.',
  ].join(' ');
}
