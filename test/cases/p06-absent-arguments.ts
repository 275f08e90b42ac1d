import { Injectable } from '@nestjs/common';
import { Capability } from 'nest-capabilities';
import { z } from 'zod';
import { ABSENT } from './driver.js';
import { Calls, declared, reader } from './fixtures.js';
import type { PublicCase } from './public-case.js';

const LIMIT = z.object({ limit: z.number().int().default(20) });
const NOTHING = z.object({});
const QUERY = z.object({ q: z.string() });

function app() {
  const calls = new Calls();
  @Injectable()
  class Host {
    @Capability(declared({ name: 'defaulted', permission: 'docs:read', input: LIMIT }))
    defaulted(input: z.output<typeof LIMIT>): void {
      calls.record(input);
    }

    @Capability(declared({ name: 'empty', permission: 'docs:read', input: NOTHING }))
    empty(input: z.output<typeof NOTHING>): void {
      calls.record(input);
    }

    @Capability(declared({ name: 'query', permission: 'docs:read', input: QUERY }))
    query(input: z.output<typeof QUERY>): void {
      calls.record(input);
    }
  }
  return { calls, setup: { providers: [Host] } };
}

export const P06: PublicCase = {
  id: 'P06',
  title: 'arguments that are left out',
  calls: {
    'count as an empty object': async (open) => {
      const { calls, setup } = app();
      const surface = await open(setup);
      for (const args of [ABSENT, {}]) {
        expect((await surface.call(reader, 'defaulted', args)).word).toBe('OK');
        expect((await surface.call(reader, 'empty', args)).word).toBe('OK');
        expect(await surface.call(reader, 'query', args)).toMatchObject({ word: 'BAD_INPUT', field: 'q' });
      }
      expect(calls.inputs).toEqual([{ limit: 20 }, {}, { limit: 20 }, {}]);
    },
    'are not null, text or a list': async (open) => {
      const { calls, setup } = app();
      const surface = await open(setup);
      for (const args of [null, '{}', []]) {
        for (const name of ['defaulted', 'empty', 'query']) {
          expect((await surface.call(reader, name, args)).word).toBe('BAD_INPUT');
        }
      }
      expect(calls.ran).toBe(0);
    },
  },
  lists: {
    'leave a field with a default out of required': async (open) => {
      const listed = await (await open(app().setup)).list(reader);
      const { inputSchema } = listed.find(({ name }) => name === 'defaulted')!;
      expect(inputSchema['required'] ?? []).toEqual([]);
    },
  },
};
