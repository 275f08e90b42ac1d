import { Injectable } from '@nestjs/common';
import { Capability } from 'nest-capabilities';
import { z } from 'zod';
import { Calls, declared, reader } from './fixtures.js';
import type { PublicCase } from './public-case.js';

const CONTENT = z.object({ content: z.string() });
const TAGS = z.object({ tags: z.array(z.string()) });

function app() {
  const calls = new Calls();
  @Injectable()
  class Host {
    @Capability(declared({ name: 'content', permission: 'docs:read', input: CONTENT }))
    content(input: z.output<typeof CONTENT>): void {
      calls.record(input);
    }

    @Capability(declared({ name: 'tags', permission: 'docs:read', input: TAGS }))
    tags(input: z.output<typeof TAGS>): void {
      calls.record(input);
    }
  }
  return { calls, setup: { providers: [Host] } };
}

export const P09: PublicCase = {
  id: 'P09',
  title: 'text that looks like JSON stays text',
  calls: {
    'where text is asked for': async (open) => {
      const { calls, setup } = app();
      const input = { content: '{"a":1}' };
      expect((await (await open(setup)).call(reader, 'content', input)).word).toBe('OK');
      expect(calls.inputs).toEqual([input]);
    },
    'and is refused where a list is asked for': async (open) => {
      const { calls, setup } = app();
      const answer = await (await open(setup)).call(reader, 'tags', { tags: '["x"]' });
      expect(answer).toMatchObject({ word: 'BAD_INPUT', field: 'tags' });
      expect(calls.ran).toBe(0);
    },
  },
};
