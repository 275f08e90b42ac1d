import { sqlNow } from './sql-runner.js';

const BATCH = 100;

/** Removes some of the rows whose time is over; those that another session removes are left to it. `$n` is the clock's offset. */
export function removeExpired(table: 'capability_tasks' | 'capability_used_handles', n: number): string {
  return `delete from ${table} where id in (
    select id from ${table} where expires_at <= ${sqlNow(n)} limit ${BATCH} for update skip locked
  )`;
}
