import { type TaskRecord, TaskStore } from '../../execution/task-store.js';
import { type Clock, SystemClock } from '../../kernel/clock.js';

/** Tasks of one process; a restart forgets them. */
export class MemoryTaskStore extends TaskStore {
  private readonly tasks = new Map<string, TaskRecord>();
  private sweepAt = 1024;

  constructor(private readonly clock: Clock = new SystemClock()) {
    super();
  }

  open(): void {}

  create(record: TaskRecord): void {
    this.tasks.set(record.taskId, record);
    if (this.tasks.size >= this.sweepAt) this.sweep();
  }

  find(owner: string, taskId: string): TaskRecord | undefined {
    const record = this.tasks.get(taskId);
    return record === undefined || record.owner !== owner || this.isOver(record) ? undefined : record;
  }

  replace(record: TaskRecord, expected: number): boolean {
    if (this.tasks.get(record.taskId)?.version !== expected) return false;
    this.tasks.set(record.taskId, record);
    return true;
  }

  private sweep(): void {
    for (const [id, record] of this.tasks) if (this.isOver(record)) this.tasks.delete(id);
    this.sweepAt = Math.max(1024, this.tasks.size * 2);
  }

  private isOver({ createdAt, ttlMs }: TaskRecord): boolean {
    return createdAt + ttlMs <= this.clock.now();
  }
}
