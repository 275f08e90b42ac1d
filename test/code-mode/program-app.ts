import { AsyncLocalStorage } from 'node:async_hooks';
import type { TestingModule } from '@nestjs/testing';
import {
  Capability,
  CapabilityFailure,
  CapabilityHost,
  type CapabilitiesModuleOptions,
  CapabilityRunner,
  type HandlerContext,
  type PrincipalInput,
  type PrincipalRef,
  PrincipalResolver,
} from 'nest-capabilities';
import { CodeModeModule, type CodeModeModuleOptions, type ProgramResult } from 'nest-capabilities/code-mode';
import { z } from 'zod';
import { boot, closeApps, reader, type TestUser, writer } from '../nest/support.js';

export const tenantOf = new AsyncLocalStorage<string>();

/** What programs did to the world. */
export class Effects {
  readonly written: string[] = [];
  active = 0;
  peak = 0;
}

const text = z.strictObject({ text: z.string() });

@CapabilityHost({ namespace: 'docs', expose: ['code-mode', 'direct'], permission: 'docs:read', risk: 'low' })
class DocsTools {
  constructor(private readonly effects: Effects) {}

  @Capability.read({ description: 'Says its input back.', inputSchema: text, outputSchema: text })
  echo(input: z.output<typeof text>) {
    return input;
  }

  @Capability.read({ description: 'Names the tenant of the context.', outputSchema: z.string() })
  async tenant() {
    await Promise.resolve();
    return tenantOf.getStore() ?? 'none';
  }

  @Capability.read({
    description: 'Takes a while.',
    inputSchema: z.strictObject({ n: z.number() }),
    outputSchema: z.number(),
  })
  async slow({ n }: { n: number }) {
    this.effects.active += 1;
    this.effects.peak = Math.max(this.effects.peak, this.effects.active);
    await new Promise((resolve) => setTimeout(resolve, 15));
    this.effects.active -= 1;
    return n;
  }

  @Capability.read({ description: 'Never answers.', inputSchema: z.strictObject({}) })
  hang(_input: Record<string, never>, { signal }: HandlerContext) {
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
    });
  }

  @Capability.read({ description: 'Answers nothing.', outputSchema: z.void() })
  nothing() {
    return undefined;
  }

  @Capability.read({ description: 'Breaks.' })
  defect() {
    throw new Error('secret-xyz at /home/someone/db');
  }

  @Capability.read({ description: 'Answers wrongly.', outputSchema: z.number() })
  wrong(): number {
    return 'secret-abc' as unknown as number;
  }

  @Capability.read({ description: 'Answers with much.', outputSchema: z.string() })
  big() {
    return 'x'.repeat(2_000_000);
  }

  @Capability.read({
    description: 'Fails as declared.',
    failures: { Closed: { schema: z.object({ at: z.string() }), fix: 'Reopen it.' } },
  })
  closed() {
    throw new CapabilityFailure('Closed', { at: 'noon', secret: 'hidden' }, { message: 'It closed.' });
  }

  @Capability.write({
    description: 'Writes a line at once.',
    inputSchema: text,
    outputSchema: z.string(),
    permission: 'docs:write',
    approval: { required: false },
  })
  write({ text: line }: { text: string }) {
    this.effects.written.push(line);
    return `wrote ${line}`;
  }

  @Capability.write({
    description: 'Writes a line once a person has agreed.',
    inputSchema: text,
    outputSchema: z.string(),
    permission: 'docs:write',
    approval: { required: true },
  })
  publish({ text: line }: { text: string }) {
    this.effects.written.push(line);
    return `published ${line}`;
  }

  @Capability.read({ description: 'Not for programs.', expose: ['direct'] })
  elsewhere() {
    return 1;
  }

  @Capability.read({ description: 'Only in a context.', discovery: 'contextual' })
  contextual() {
    return 1;
  }
}

export const boss: PrincipalInput<TestUser> = {
  id: 'u-boss',
  kind: 'user',
  user: { id: 'u-boss', permissions: ['approvals:decide'] },
};

class People extends PrincipalResolver<TestUser> {
  resolve(): null {
    return null;
  }

  override reload({ id }: PrincipalRef): PrincipalInput<TestUser> | null {
    return [reader, writer, boss].find((person) => person.id === id) ?? null;
  }
}

export interface ProgramApp {
  readonly app: TestingModule;
  readonly effects: Effects;
  run(code: string, options?: RunOptions): Promise<ProgramResult>;
}

interface RunOptions {
  readonly principal?: PrincipalInput<TestUser>;
  readonly signal?: AbortSignal;
}

/** An application with the tools above and code mode. */
export async function bootPrograms(
  codeMode: Partial<CodeModeModuleOptions> = {},
  options: CapabilitiesModuleOptions = {},
): Promise<ProgramApp> {
  const app = await boot(
    {
      imports: [CodeModeModule.forRoot({ expose: ['direct'], permission: null, ...codeMode })],
      providers: [DocsTools, Effects],
    },
    { principals: People, ...options },
  );
  return {
    app,
    effects: app.get(Effects),
    run: async (code, { principal = writer, signal } = {}) =>
      (await app
        .get(CapabilityRunner)
        .call('code.execute', { code }, { principal, ...(signal && { signal }) })) as ProgramResult,
  };
}

export { closeApps, writer };
