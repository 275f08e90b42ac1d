import { verifyChain } from '../../audit/chain-verification.js';
import { event } from '../../testing/store-fixtures.js';
import { MemoryCapabilityStore } from './memory-store.js';

describe('the audit in memory', () => {
  it('keeps the latest rows only, and what it keeps still verifies', async () => {
    const { audit } = new MemoryCapabilityStore({ maxAuditRows: 10 });
    for (let index = 0; index < 35; index++) await audit.append(event('t1', 'requested'));
    const report = await verifyChain(audit, 't1', undefined, undefined);
    expect(report.ok).toBe(true);
    expect(report.head?.seq).toBe(35);
    expect(report.rows).toBeLessThanOrEqual(11);
  });
});
