import { Injectable } from '@nestjs/common';
import { Capability } from 'nest-capabilities';
import { z } from 'zod';
import { Calls, declared, reader } from './fixtures.js';
import type { PublicCase } from './public-case.js';

const MESSAGE = 'to must be >= from';
const SPAN = z.object({ from: z.number(), to: z.number() }).superRefine((value, context) => {
  if (value.from > value.to) context.addIssue({ code: 'custom', path: ['to'], message: MESSAGE });
});

function app() {
  const calls = new Calls();
  @Injectable()
  class Host {
    @Capability(declared({ name: 'span', permission: 'docs:read', input: SPAN }))
    span(input: z.output<typeof SPAN>): void {
      calls.record(input);
    }
  }
  return { calls, setup: { providers: [Host] } };
}

export const P05: PublicCase = {
  id: 'P05',
  title: 'a cross-field refinement keeps the schema',
  calls: {
    'is enforced with its message': async (open) => {
      const { calls, setup } = app();
      const surface = await open(setup);
      expect((await surface.call(reader, 'span', { from: 1, to: 2 })).word).toBe('OK');
      const refused = await surface.call(reader, 'span', { from: 2, to: 1 });
      expect(refused).toMatchObject({ word: 'BAD_INPUT', field: 'to' });
      expect(refused.text).toContain(MESSAGE);
      expect(calls.inputs).toEqual([{ from: 1, to: 2 }]);
    },
  },
  lists: {
    'shows both fields as required': async (open) => {
      const [span] = await (await open(app().setup)).list(reader);
      expect(Object.keys(span!.inputSchema['properties'] as object)).toEqual(['from', 'to']);
      expect(span!.inputSchema['required']).toEqual(['from', 'to']);
    },
  },
};
