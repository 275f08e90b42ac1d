import { strict as assert } from 'node:assert';
import type { Driver } from '../battery-case.js';
import type { Answer } from '../driver/answer.js';
import type { AuditFilter } from '../driver/audit-filter.js';

/** Status and code of an answer. */
export function answered(answer: Answer, status: number, code?: string): void {
  assert.deepEqual([answer.status, answer.code], [status, code], answer.text);
}

export async function effects(t: Driver, capability: string, count: number): Promise<void> {
  assert.equal(await t.eff(capability), count, `effects of ${capability}`);
}

export async function audited(t: Driver, filter: AuditFilter, count: number): Promise<void> {
  assert.equal((await t.aud(filter)).length, count, `audit rows with ${JSON.stringify(filter)}`);
}

/** Every code of a race is the one, and so many. */
export function allCodes(codes: readonly string[], code: string, count: number): void {
  const others = codes.filter((each) => each !== code);
  assert.deepEqual(others, [], `codes beside ${code}`);
  assert.equal(codes.length, count);
}

/** An audit chain that verifies, without a fork. */
export async function soundAudit(t: Driver): Promise<void> {
  const report = await t.verify();
  assert.equal(report.ok, true, report.problem);
  assert.equal(await t.forks(), 0);
}
