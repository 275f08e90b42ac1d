import { Injectable } from '@nestjs/common';
import { Capability } from 'nest-capabilities';
import { z } from 'zod';
import { Calls, declared, writer } from './fixtures.js';
import type { PublicCase } from './public-case.js';

const TAGGED = z.discriminatedUnion('action', [
  z.object({ action: z.literal('create'), title: z.string() }),
  z.object({ action: z.literal('delete'), id: z.string() }),
]);
const PLAIN = z.union([z.object({ id: z.string() }), z.object({ slug: z.string() })]);

function app() {
  const calls = new Calls();
  @Injectable()
  class Host {
    @Capability(declared({ name: 'tagged', permission: 'docs:write', input: TAGGED }))
    tagged(): void {
      calls.record();
    }

    @Capability(declared({ name: 'plain', permission: 'docs:write', input: PLAIN }))
    plain(input: z.output<typeof PLAIN>): void {
      calls.record(input);
    }
  }
  return { calls, setup: { providers: [Host] } };
}

export const P02: PublicCase = {
  id: 'P02',
  title: 'no combinator at the root of a schema',
  calls: {
    'enforces the exact rule': async (open) => {
      const { calls, setup } = app();
      const surface = await open(setup);
      expect((await surface.call(writer, 'plain', { id: '1' })).word).toBe('OK');
      expect((await surface.call(writer, 'plain', {})).word).toBe('BAD_INPUT');
      expect(calls.inputs).toEqual([{ id: '1' }]);
    },
  },
  lists: {
    'is advertised': async (open) => {
      const listed = await (await open(app().setup)).list(writer);
      expect(listed.map(({ name }) => name)).toEqual(['plain', 'tagged']);
      for (const { inputSchema } of listed) {
        expect(inputSchema['type']).toBe('object');
        const combinators = ['oneOf', 'anyOf', 'allOf', 'if', 'not'].filter((key) => key in inputSchema);
        expect(combinators).toEqual([]);
      }
    },
  },
};
