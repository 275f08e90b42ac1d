import { Injectable } from '@nestjs/common';
import { Capability, type HandlerContext } from 'nest-capabilities';
import { z } from 'zod';
import { anon, type CaseUser, declared, reader } from './fixtures.js';
import type { PublicCase } from './public-case.js';

const INPUT = z.object({ x: z.number(), y: z.number() });
const OUTPUT = z.object({ sum: z.number() });

function app() {
  const seen: unknown[] = [];
  @Injectable()
  class Adder {
    @Capability(declared({ name: 'add', permission: 'docs:read', input: INPUT, output: OUTPUT }))
    add(input: z.output<typeof INPUT>, ctx: HandlerContext): { sum: number } {
      seen.push([input, (ctx.user as CaseUser).id, ctx.surface]);
      return { sum: input.x + input.y };
    }
  }
  return { seen, setup: { providers: [Adder] } };
}

@Injectable()
class Doubler {
  @Capability(
    declared({ name: 'double', permission: 'docs:read', input: z.object({ x: z.number() }), output: OUTPUT }),
  )
  double({ x }: { x: number }): { sum: number } {
    return { sum: 2 * x };
  }
}

const nobody: CaseUser = { id: 'u-nobody', permissions: [] };

export const P17: PublicCase = {
  id: 'P17',
  title: 'one definition, every surface, one answer (SI-01, SI-02)',
  together: {
    'the same result, denial and bad input everywhere': async (open) => {
      const { seen, setup } = app();
      const surfaces = await open(setup);
      for (const surface of surfaces) {
        const sum = await surface.call(reader, 'add', { x: 1, y: 2 });
        expect([surface.name, sum.word, sum.output]).toEqual([surface.name, 'OK', { sum: 3 }]);
        for (const caller of [anon, nobody]) {
          const denied = await surface.call(caller, 'add', { x: 1, y: 2 });
          expect([surface.name, denied.word]).toEqual([surface.name, 'DENIED']);
        }
        const bad = await surface.call(reader, 'add', { x: 'one', y: 2 });
        expect([surface.name, bad.word, bad.field]).toEqual([surface.name, 'BAD_INPUT', 'x']);
      }
      expect(seen).toEqual(surfaces.map(({ id }) => [{ x: 1, y: 2 }, 'u-read', id]));
    },
    'a second capability appears everywhere, with no other edit': async (open) => {
      const { setup } = app();
      for (const surface of await open({ providers: [...setup.providers, Doubler] })) {
        const doubled = await surface.call(reader, 'double', { x: 4 });
        expect([surface.name, doubled.output]).toEqual([surface.name, { sum: 8 }]);
      }
    },
  },
  lists: {
    'a second capability is listed, with no other edit': async (open) => {
      const { setup } = app();
      const names = async (providers: readonly (typeof Doubler)[]) =>
        (await (await open({ providers: [...setup.providers, ...providers] })).list(reader)).map(
          ({ name }) => name,
        );
      expect(await names([])).toEqual(['add']);
      expect(await names([Doubler])).toEqual(['add', 'double']);
    },
  },
  documents: {
    'a second capability is documented, with no other edit': async (open) => {
      const { setup } = app();
      const document = (await open({ providers: [...setup.providers, Doubler] })).document();
      expect(Object.keys(document.paths)).toEqual(
        expect.arrayContaining(['/capabilities/add', '/capabilities/double']),
      );
    },
  },
};
