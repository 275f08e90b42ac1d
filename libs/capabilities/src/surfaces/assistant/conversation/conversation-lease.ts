import { CapabilityError } from '../../../errors/capability-error.js';
import type { Clock } from '../../../kernel/clock.js';
import { uuid } from '../../../kernel/ids.js';
import type { Json } from '../../../kernel/json.js';
import type {
  ConversationRecord,
  ConversationStore,
  OpenCall,
} from '../../../execution/conversation-store.js';
import type { PromptMessage } from './prompt.js';

/** How long a turn may be silent before its conversation is free again, milliseconds. */
const LEASE_MS = 300_000;
const CONVERSATION_ID = /^[\x21-\x7e]{1,128}$/;

/** A conversation that this turn holds: one turn at a time, and every change is stored. */
export class ConversationLease {
  private constructor(
    private readonly store: ConversationStore,
    private readonly clock: Clock,
    private record: ConversationRecord,
    private stored: number,
  ) {}

  /** Throws INPUT_INVALID, NOT_FOUND as a tool error (there is none to go on with) or IN_PROGRESS. */
  static async take(
    store: ConversationStore,
    clock: Clock,
    owner: string,
    asked: { readonly conversation: string | undefined; readonly begins: boolean },
  ): Promise<ConversationLease> {
    const id = asked.conversation ?? uuid();
    if (!CONVERSATION_ID.test(id)) {
      throw new CapabilityError('INPUT_INVALID', {
        message: 'The id of a conversation is 1 to 128 visible ASCII characters.',
        field: 'conversation',
      });
    }
    const found = await store.find(owner, id);
    if (found === undefined && !asked.begins) throw noConversation();
    if (found?.state === 'running' && found.until > clock.now()) throw busy();
    const empty: ConversationRecord = {
      id,
      owner,
      version: 0,
      state: 'idle',
      until: 0,
      messages: [],
      open: [],
    };
    const record = found ?? empty;
    const lease = new ConversationLease(store, clock, record, record.version);
    await lease.save();
    return lease;
  }

  get id(): string {
    return this.record.id;
  }

  get messages(): readonly PromptMessage[] {
    return this.record.messages as unknown as readonly PromptMessage[];
  }

  get open(): readonly OpenCall[] {
    return this.record.open;
  }

  append(...messages: readonly PromptMessage[]): void {
    this.record = { ...this.record, messages: [...this.record.messages, ...(messages as unknown as Json[])] };
  }

  setOpen(open: readonly OpenCall[]): void {
    this.record = { ...this.record, open };
  }

  /** Stores what is there now, and keeps holding it. */
  save(): Promise<void> {
    return this.write('running', this.clock.now() + LEASE_MS);
  }

  /** Stores what is there now, for the next turn. */
  async release(): Promise<void> {
    await this.write('idle', 0);
  }

  /** Releases a conversation that is still held; where that fails, its time runs out. */
  async abandon(): Promise<void> {
    if (this.record.state === 'running') await this.release().catch(() => undefined);
  }

  private async write(state: ConversationRecord['state'], until: number): Promise<void> {
    const next = { ...this.record, state, until, version: this.stored + 1 };
    if (!(await this.store.save(next, this.stored))) throw busy();
    this.record = next;
    this.stored = next.version;
  }
}

function noConversation(): CapabilityError {
  return new CapabilityError('TOOL_ERROR', {
    code: 'NOT_FOUND',
    status: 404,
    message: 'No such conversation.',
  });
}

function busy(): CapabilityError {
  return new CapabilityError('IN_PROGRESS', {
    message: 'This conversation is being answered.',
    retryAfter: 1,
  });
}
