import { type TaskRecord, TaskStore } from './task-store.js';

/** Tasks of one process; a restart forgets them. */
export class MemoryTaskStore extends TaskStore {
  private readonly tasks = new Map<string, TaskRecord>();
  private sweepAt = 1024;

  create(record: TaskRecord, now: number): void {
    this.tasks.set(record.taskId, record);
    if (this.tasks.size >= this.sweepAt) this.sweep(now);
  }

  find(owner: string, taskId: string, now: number): TaskRecord | undefined {
    const record = this.tasks.get(taskId);
    return record === undefined || record.owner !== owner || isOver(record, now) ? undefined : record;
  }

  replace(record: TaskRecord, expected: number): boolean {
    if (this.tasks.get(record.taskId)?.version !== expected) return false;
    this.tasks.set(record.taskId, record);
    return true;
  }

  private sweep(now: number): void {
    for (const [id, record] of this.tasks) if (isOver(record, now)) this.tasks.delete(id);
    this.sweepAt = Math.max(1024, this.tasks.size * 2);
  }
}

function isOver({ createdAt, ttlMs }: TaskRecord, now: number): boolean {
  return createdAt + ttlMs <= now;
}
