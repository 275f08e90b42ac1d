import { Injectable } from '@nestjs/common';
import { Capability } from 'nest-capabilities';
import { z } from 'zod';
import { Calls, declared, reader, writer } from './fixtures.js';
import type { PublicCase } from './public-case.js';

function app() {
  const calls = new Calls();
  const wrapped = new Calls();
  /** Replaces the method and copies no metadata. */
  const Traced =
    () =>
    (_target: object, _key: string, descriptor: PropertyDescriptor): void => {
      const original = descriptor.value as (...args: unknown[]) => unknown;
      descriptor.value = function (this: unknown, ...args: unknown[]) {
        wrapped.record();
        return original.apply(this, args);
      };
    };
  const shared = { permission: 'docs:write', input: z.object({}) };
  @Injectable()
  class Host {
    @Traced()
    @Capability(declared({ ...shared, name: 'a' }))
    a(): string {
      calls.record();
      return 'a';
    }

    @Capability(declared({ ...shared, name: 'b' }))
    @Traced()
    b(): string {
      calls.record();
      return 'b';
    }
  }
  return { calls, wrapped, setup: { providers: [Host] } };
}

export const P20: PublicCase = {
  id: 'P20',
  title: 'another decorator replaced the method',
  calls: {
    'keeps its permission, and the wrapper runs once': async (open) => {
      for (const name of ['a', 'b']) {
        const { calls, wrapped, setup } = app();
        const surface = await open(setup);
        expect((await surface.call(reader, name, {})).word).toBe('DENIED');
        expect([name, calls.ran, wrapped.ran]).toEqual([name, 0, 0]);
        expect((await surface.call(writer, name, {})).output).toBe(name);
        expect([name, calls.ran, wrapped.ran]).toEqual([name, 1, 1]);
      }
    },
  },
  lists: {
    'shows both to whom may call them': async (open) => {
      const surface = await open(app().setup);
      expect((await surface.list(writer)).map(({ name }) => name)).toEqual(['a', 'b']);
      expect(await surface.list(reader)).toEqual([]);
    },
  },
};
