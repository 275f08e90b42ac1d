import { Injectable, type LoggerService } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import {
  ApprovalService,
  type AuditEvent,
  AuditSink,
  CapabilitiesModule,
  Capability,
  CapabilityHost,
  CapabilityPolicy,
  type CapabilityStore,
  Clock,
  completePrincipal,
  type Principal,
  type PrincipalInput,
  type PrincipalRef,
  PrincipalResolver,
} from 'nest-capabilities';
import {
  AssistantService,
  AssistantSurfaceModule,
  type ConversationStore,
} from 'nest-capabilities/assistant';
import { MemoryCapabilityStore } from 'nest-capabilities/memory';
import { z } from 'zod';

interface Person {
  readonly id: string;
  readonly permissions: readonly string[];
}

const PEOPLE: Readonly<Record<string, Person>> = {
  ada: { id: 'ada', permissions: ['notes:read', 'notes:write'] },
  bob: { id: 'bob', permissions: ['notes:read', 'notes:write', 'approvals:decide'] },
  eve: { id: 'eve', permissions: ['notes:read'] },
};

/** A person, by one of their credentials. */
export function as(id: string, credentialId = `${id}-chat`): Principal<Person> {
  return completePrincipal(inputOf(id, credentialId))!;
}

function inputOf(id: string, credentialId: string | null): PrincipalInput<Person> {
  return { id, kind: 'user', user: PEOPLE[id]!, credentialId };
}

class People extends PrincipalResolver<Person> {
  resolve(): null {
    return null;
  }

  override reload({ id, credentialId }: PrincipalRef): PrincipalInput<Person> {
    return inputOf(id, credentialId);
  }
}

class Permissions extends CapabilityPolicy<Person, string> {
  constructor(private readonly revoked: ReadonlySet<string>) {
    super();
  }

  userHasPermission(person: Person, permission: string): boolean {
    return person.permissions.includes(permission) && !this.revoked.has(permission);
  }
}

/** What the capabilities did; outlives an application like a database does. */
class Notebook {
  readonly notes: string[] = [];
  readonly wiped: number[] = [];
  reads = 0;
}

class CapturedAudit extends AuditSink {
  readonly events: AuditEvent[] = [];

  write(event: AuditEvent): void {
    this.events.push(event);
  }

  of(type: AuditEvent['type']): readonly AuditEvent[] {
    return this.events.filter((event) => event.type === type);
  }
}

class TestClock extends Clock {
  private moved = 0;

  now(): number {
    return Date.now() + this.moved;
  }

  offset(): number {
    return this.moved;
  }

  advance(ms: number): void {
    this.moved += ms;
  }
}

const Text = z.object({ text: z.string().min(1).max(100) });
const Which = z.object({ id: z.number().int() });

function notesHost(notebook: Notebook) {
  @Injectable()
  @CapabilityHost({
    namespace: 'notes',
    expose: ['assistant', 'direct'],
    permission: 'notes:read',
    risk: 'low',
  })
  class Notes {
    @Capability.read({
      description: 'List the notes.',
      inputSchema: z.object({ limit: z.number().int().default(10) }),
    })
    list(input: { limit: number }): { notes: string[] } {
      notebook.reads += 1;
      return { notes: notebook.notes.slice(0, input.limit) };
    }

    @Capability.write({ description: 'Add a note.', permission: 'notes:write', inputSchema: Text })
    add(input: z.output<typeof Text>): { count: number } {
      notebook.notes.push(input.text);
      return { count: notebook.notes.length };
    }

    @Capability.write({
      description: 'Add a note without asking.',
      permission: 'notes:write',
      inputSchema: Text,
      approval: { required: false },
    })
    jot(input: z.output<typeof Text>): { count: number } {
      notebook.notes.push(input.text);
      return { count: notebook.notes.length };
    }

    @Capability.destructive({
      description: 'Remove a note for good.',
      permission: 'notes:write',
      inputSchema: Which,
      approval: { required: true, by: 'another' },
    })
    wipe(input: z.output<typeof Which>): void {
      notebook.wiped.push(input.id);
    }

    @Capability.read({
      description: 'Read a sealed note.',
      inputSchema: Which,
      approval: { required: true, by: 'another' },
    })
    unseal(input: z.output<typeof Which>): { sealed: number } {
      notebook.reads += 1;
      return { sealed: input.id };
    }

    @Capability.read({ description: 'Only where it is bound.', discovery: 'contextual' })
    bound(): string {
      return 'bound';
    }
  }
  return Notes;
}

/** Keeps what the application logs. */
class CapturedLog implements LoggerService {
  readonly lines: string[] = [];

  log(): void {}

  warn(): void {}

  error(...message: unknown[]): void {
    this.lines.push(message.map(String).join(' '));
  }
}

/** What several processes share. */
export class World {
  readonly notebook = new Notebook();
  /** Permissions that nobody has any more. */
  readonly revoked = new Set<string>();
  readonly audit = new CapturedAudit();
  readonly log = new CapturedLog();
  readonly clock = new TestClock();
  readonly store: CapabilityStore = new MemoryCapabilityStore({ clock: this.clock });
}

export interface AssistantApp {
  readonly assistant: AssistantService;
  readonly approvals: ApprovalService;
  /** Decides as another person, or as the same on another channel. */
  decide(approvalId: string, who: Principal, decision?: 'approve' | 'reject', reason?: string): Promise<void>;
  close(): Promise<void>;
}

const opened: AssistantApp[] = [];

/** Closes every application that a test has left open. */
export async function closeApps(): Promise<void> {
  await Promise.all(opened.splice(0).map((app) => app.close()));
}

/** Boots one process over a world. */
export async function boot(
  world = new World(),
  conversations?: ConversationStore,
  store: CapabilityStore = world.store,
): Promise<AssistantApp> {
  const module = await Test.createTestingModule({
    imports: [
      CapabilitiesModule.forRoot({
        policy: { useValue: new Permissions(world.revoked) },
        principals: People,
        store: { useValue: store },
        sinks: [{ useValue: world.audit }],
        clock: { useValue: world.clock },
      }),
      AssistantSurfaceModule.forRoot({
        providers: ['openai', 'openai-strict', 'anthropic', 'gemini'],
        ...(conversations === undefined ? {} : { store: { useValue: conversations } }),
      }),
    ],
    providers: [notesHost(world.notebook)],
  })
    .setLogger(world.log)
    .compile();
  await module.init();
  const approvals = module.get(ApprovalService);
  const app: AssistantApp = {
    assistant: module.get(AssistantService),
    approvals,
    decide: async (id, who, decision = 'approve', reason) => {
      await approvals.decide(who, id, { decision, ...(reason === undefined ? {} : { reason }) });
    },
    close: () => module.close(),
  };
  opened.push(app);
  return app;
}
