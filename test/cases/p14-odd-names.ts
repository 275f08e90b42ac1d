import { Injectable } from '@nestjs/common';
import { Capability } from 'nest-capabilities';
import { z } from 'zod';
import { Calls, declared, writer } from './fixtures.js';
import type { PublicCase } from './public-case.js';

const NAMES = ['nope', '__proto__', 'constructor', 'toString', 'x'.repeat(5_000)];
const EMPTY = '';

function app() {
  const calls = new Calls();
  @Injectable()
  class Host {
    @Capability(declared({ name: 'act', permission: 'docs:read', input: z.object({}) }))
    act(): string {
      calls.record();
      return 'done';
    }
  }
  return { calls, setup: { providers: [Host] } };
}

export const P14: PublicCase = {
  id: 'P14',
  title: 'unknown and odd names',
  calls: {
    'are unknown, and the next call works': async (open) => {
      const { calls, setup } = app();
      const surface = await open(setup);
      // No path names an empty capability.
      const names = surface.id === 'rest' ? NAMES : [...NAMES, EMPTY];
      for (const name of names) {
        const { word } = await surface.call(writer, name, {});
        expect([name.slice(0, 20), word]).toEqual([name.slice(0, 20), 'UNKNOWN']);
        expect((await surface.call(writer, 'act', {})).output).toBe('done');
      }
      expect(calls.ran).toBe(names.length);
    },
  },
};
