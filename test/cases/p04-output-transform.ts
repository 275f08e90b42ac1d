import { Injectable } from '@nestjs/common';
import { Capability } from 'nest-capabilities';
import { z } from 'zod';
import { Calls, declared, OkService, reader } from './fixtures.js';
import type { PublicCase } from './public-case.js';

function app() {
  const calls = new Calls();
  const transforms: string[] = [];
  const OUTPUT = z.object({
    id: z.string().transform((text) => {
      transforms.push(text);
      return Number.parseInt(text, 10);
    }),
  });
  @Injectable()
  class Host {
    @Capability(declared({ name: 'num', permission: 'docs:read', input: z.object({}), output: OUTPUT }))
    num(): { id: string } {
      calls.record();
      return { id: '42' };
    }
  }
  return { calls, transforms, setup: { providers: [Host, OkService] } };
}

export const P04: PublicCase = {
  id: 'P04',
  title: 'a transform in an output schema',
  calls: {
    'runs once, and its result is the answer': async (open) => {
      const { calls, transforms, setup } = app();
      const surface = await open(setup);
      expect(await surface.call(reader, 'num', {})).toMatchObject({ word: 'OK', output: { id: 42 } });
      expect([calls.ran, transforms]).toEqual([1, ['42']]);
    },
  },
  lists: {
    'takes nothing down': async (open) => {
      const listed = await (await open(app().setup)).list(reader);
      expect(listed.map(({ name }) => name)).toEqual(['num', 'ok']);
    },
  },
  documents: {
    'is documented': async (open) => {
      const document = (await open(app().setup)).document();
      expect(Object.keys(document.paths)).toEqual(
        expect.arrayContaining(['/capabilities/num', '/capabilities/ok']),
      );
    },
  },
};
