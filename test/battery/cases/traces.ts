import { strict as assert } from 'node:assert';
import type { BatteryCase } from '../battery-case.js';
import { answered, audited } from './expect.js';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT_ID = '00f067aa0ba902b7';

export const TRACES: readonly BatteryCase[] = [
  {
    id: 'B27',
    title: 'a valid trace context is continued, any other starts anew',
    async run(t) {
      const parents = [`00-${TRACE_ID}-${PARENT_ID}-01`, `00-${'0'.repeat(32)}-${PARENT_ID}-01`, 'ZZ'];
      for (const traceparent of parents) answered(await t.mcpRaw('alice', { meta: { traceparent } }), 200);
      answered(await t.mcpRaw('alice', { name: 'boom', args: {} }), 200, 'INTERNAL');
      const spans = await t.spans();
      assert.deepEqual(
        spans.map(({ name, kind }) => [name, kind]),
        [
          ['tools/call orders_get', 'SERVER'],
          ['tools/call orders_get', 'SERVER'],
          ['tools/call orders_get', 'SERVER'],
          ['tools/call boom', 'SERVER'],
        ],
      );
      const [continued, ...others] = spans;
      assert.deepEqual([continued?.traceId, continued?.parentSpanId], [TRACE_ID, PARENT_ID]);
      for (const { traceId, parentSpanId } of others) {
        assert.equal(parentSpanId, undefined);
        assert.match(traceId, /^(?!0{32})[0-9a-f]{32}$/);
      }
      assert.equal(new Set(spans.map(({ traceId }) => traceId)).size, 4);
      assert.deepEqual(
        spans.map(({ attributes }) => attributes['error.type']),
        [undefined, undefined, undefined, 'tool_error'],
      );
      await audited(t, { capability: 'orders.get', traceId: TRACE_ID, type: 'completed' }, 1);
      await audited(t, { capability: 'orders.get', type: 'completed' }, 3);
    },
  },
];
