import { Injectable } from '@nestjs/common';
import { Capability } from 'nest-capabilities';
import { z } from 'zod';
import { Calls, declared, reader } from './fixtures.js';
import type { PublicCase } from './public-case.js';

const VALUES: readonly unknown[] = [undefined, null, '', 0, false, [], 'hello'];

function app() {
  const calls = new Calls();
  const INPUT = z.object({ index: z.number() });
  @Injectable()
  class Host {
    @Capability(declared({ name: 'give', permission: 'docs:read', input: INPUT }))
    give({ index }: { index: number }): unknown {
      calls.record();
      return VALUES[index];
    }
  }
  return { calls, setup: { providers: [Host] } };
}

export const P12: PublicCase = {
  id: 'P12',
  title: 'nothing returned',
  calls: {
    'is an answer like any other, and text is sent as itself': async (open) => {
      const { calls, setup } = app();
      const surface = await open(setup);
      for (const [index, value] of VALUES.entries()) {
        const answer = await surface.call(reader, 'give', { index });
        expect([index, answer.word, answer.output]).toEqual([index, 'OK', value]);
      }
      expect(calls.ran).toBe(VALUES.length);
    },
  },
};
