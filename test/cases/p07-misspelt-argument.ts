import { Injectable } from '@nestjs/common';
import { Capability } from 'nest-capabilities';
import { z } from 'zod';
import { Calls, declared, writer } from './fixtures.js';
import type { PublicCase } from './public-case.js';

const OPTIONS = { patchOptions: z.object({ create: z.boolean() }).optional() };
const MISSPELT = { options: { create: true } };

function app() {
  const calls = new Calls();
  const option = { permission: 'docs:write' };
  @Injectable()
  class Host {
    @Capability(declared({ ...option, name: 'plain', input: z.object(OPTIONS) }))
    plain(input: object): void {
      calls.record(input);
    }

    @Capability(declared({ ...option, name: 'strict', input: z.strictObject(OPTIONS) }))
    strict(input: object): void {
      calls.record(input);
    }

    @Capability(
      declared({ ...option, name: 'ignoring', input: z.strictObject(OPTIONS), unknownKeys: 'ignore' }),
    )
    ignoring(input: object): void {
      calls.record(input);
    }

    @Capability(declared({ ...option, name: 'loose', input: z.looseObject(OPTIONS) }))
    loose(input: object): void {
      calls.record(input);
    }
  }
  return { calls, setup: { providers: [Host] } };
}

export const P07: PublicCase = {
  id: 'P07',
  title: 'a misspelt argument does not vanish (SI-11)',
  calls: {
    'is refused by its name, also by a strict object that ignores unknown keys': async (open) => {
      const { calls, setup } = app();
      const surface = await open(setup);
      for (const name of ['plain', 'strict', 'ignoring']) {
        const answer = await surface.call(writer, name, MISSPELT);
        expect({ name, ...answer }).toMatchObject({ name, word: 'BAD_INPUT', field: 'options' });
      }
      expect(calls.ran).toBe(0);
    },
    'is refused inside a nested object': async (open) => {
      const { calls, setup } = app();
      const answer = await (
        await open(setup)
      ).call(writer, 'plain', { patchOptions: { create: true, creat: true } });
      expect(answer).toMatchObject({ word: 'BAD_INPUT', field: 'patchOptions.creat' });
      expect(calls.ran).toBe(0);
    },
    'reaches the method through a loose object': async (open) => {
      const { calls, setup } = app();
      expect((await (await open(setup)).call(writer, 'loose', MISSPELT)).word).toBe('OK');
      expect(calls.inputs).toEqual([MISSPELT]);
    },
  },
  lists: {
    'is advertised as forbidden exactly where it is': async (open) => {
      const listed = await (await open(app().setup)).list(writer);
      const closed = Object.fromEntries(
        listed.map(({ name, inputSchema }) => [name, inputSchema['additionalProperties'] === false]),
      );
      expect(closed).toEqual({ ignoring: true, loose: false, plain: true, strict: true });
    },
  },
};
