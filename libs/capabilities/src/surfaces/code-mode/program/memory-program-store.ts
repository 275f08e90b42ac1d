import { type ProgramClaim, type ProgramLease, type ProgramRecord, ProgramStore } from './program-store.js';

/** Programs of one process, gone with it. Records are kept as text, so nothing in them is shared. */
export class MemoryProgramStore extends ProgramStore {
  private readonly records = new Map<string, string>();

  async open(): Promise<void> {}

  async claim(key: string, { holder, now, until }: ProgramLease): Promise<ProgramClaim> {
    const record = this.read(key);
    if (record === undefined) return { status: 'none' };
    if (record.state === 'running' && record.until > now) return { status: 'held' };
    if (record.state === 'suspended' && record.until <= now) {
      this.records.delete(key);
      return { status: 'none' };
    }
    const claimed: ProgramRecord = { ...record, holder, until, state: 'running' };
    this.write(claimed);
    return { status: 'claimed', record: claimed };
  }

  async save(record: ProgramRecord): Promise<boolean> {
    const holder = this.read(record.key)?.holder;
    if (holder !== undefined && holder !== record.holder) return false;
    this.write(record);
    return true;
  }

  async remove(key: string, holder: string): Promise<void> {
    if (this.read(key)?.holder === holder) this.records.delete(key);
  }

  private read(key: string): ProgramRecord | undefined {
    const text = this.records.get(key);
    return text === undefined ? undefined : (JSON.parse(text) as ProgramRecord);
  }

  private write(record: ProgramRecord): void {
    this.records.set(record.key, JSON.stringify(record));
  }
}
