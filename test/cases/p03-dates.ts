import { Injectable } from '@nestjs/common';
import { Capability } from 'nest-capabilities';
import { z } from 'zod';
import { Calls, declared, OkService, reader } from './fixtures.js';
import type { PublicCase } from './public-case.js';

const WHEN = z.object({ at: z.coerce.date(), note: z.string().optional() });

function app() {
  const calls = new Calls();
  @Injectable()
  class Host {
    @Capability(declared({ name: 'when', permission: 'docs:read', input: WHEN }))
    when(input: z.output<typeof WHEN>): void {
      calls.record(input);
    }
  }
  return { calls, setup: { providers: [Host, OkService] } };
}

export const P03: PublicCase = {
  id: 'P03',
  title: 'a date in one input does not take the list down',
  calls: {
    'reaches the method as a Date': async (open) => {
      const { calls, setup } = app();
      const surface = await open(setup);
      const at = '2026-01-02T03:04:05.000Z';
      expect((await surface.call(reader, 'when', { at })).word).toBe('OK');
      expect(calls.inputs).toEqual([{ at: new Date(Date.UTC(2026, 0, 2, 3, 4, 5)) }]);
    },
    'that is none is named': async (open) => {
      const { calls, setup } = app();
      const surface = await open(setup);
      expect(await surface.call(reader, 'when', { at: 'soonish' })).toMatchObject({
        word: 'BAD_INPUT',
        field: 'at',
      });
      expect(calls.ran).toBe(0);
    },
  },
  lists: {
    'is advertised as a date-time, beside its sibling': async (open) => {
      const listed = await (await open(app().setup)).list(reader);
      expect(listed.map(({ name }) => name)).toEqual(['ok', 'when']);
      const { properties, required } = listed[1]!.inputSchema as {
        properties: Record<string, Record<string, unknown>>;
        required: string[];
      };
      const { description: _description, ...at } = properties['at']!;
      expect(at).toEqual({ type: 'string', format: 'date-time' });
      expect(properties['note']).toMatchObject({ type: 'string' });
      expect(required).toEqual(['at']);
    },
  },
  documents: {
    'is documented': async (open) => {
      const document = (await open(app().setup)).document();
      expect(JSON.stringify(document.paths['/capabilities/when'])).toContain('date-time');
    },
  },
};
