import { Injectable } from '@nestjs/common';
import { Capability } from 'nest-capabilities';
import { z } from 'zod';
import { declared, OkService, reader } from './fixtures.js';
import type { PublicCase } from './public-case.js';

const Inner = z.object({ n: z.string() }).meta({ id: 'Inner' });
const PAIR = z.object({ a: Inner, b: Inner });

@Injectable()
class Host {
  @Capability(declared({ name: 'pair', permission: 'docs:read', input: PAIR, output: PAIR }))
  pair(input: z.output<typeof PAIR>): z.output<typeof PAIR> {
    return input;
  }
}

@Injectable()
class Other {
  @Capability(declared({ name: 'one', permission: 'docs:read', input: z.object({ inner: Inner }) }))
  one(): void {}
}

export const P08: PublicCase = {
  id: 'P08',
  title: 'a shared part with an id',
  lists: {
    'is inlined without a stray id, whatever the order and the number of boots': async (open) => {
      const first = await (await open({ providers: [Host, Other] })).list(reader);
      expect(JSON.stringify(first)).not.toMatch(/\$ref|\$defs|"id":/);
      expect(first.find(({ name }) => name === 'pair')!.inputSchema['properties']).toMatchObject({
        a: { type: 'object', properties: { n: { type: 'string' } } },
        b: { type: 'object', properties: { n: { type: 'string' } } },
      });
      expect(await (await open({ providers: [Other, Host] })).list(reader)).toEqual(first);
    },
  },
  documents: {
    'is one component that both properties refer to, whatever the order and the number of boots': async (
      open,
    ) => {
      const document = (await open({ providers: [Host, Other, OkService] })).document();
      const text = JSON.stringify(document);
      expect(text).not.toContain('$defs');
      const names = Object.keys(document.components?.schemas ?? {});
      expect(names.filter((name) => name.includes('Inner'))).toEqual(['Inner']);
      const references = text.match(/"\$ref":"#\/components\/schemas\/Inner"/g) ?? [];
      expect(references.length).toBeGreaterThanOrEqual(5);
      const again = (await open({ providers: [OkService, Other, Host] })).document();
      expect(again.components?.schemas?.['Inner']).toEqual(document.components?.schemas?.['Inner']);
      expect(again.paths['/capabilities/pair']).toEqual(document.paths['/capabilities/pair']);
    },
  },
  calls: {
    'is enforced': async (open) => {
      const surface = await open({ providers: [Host] });
      const pair = { a: { n: '1' }, b: { n: '2' } };
      expect(await surface.call(reader, 'pair', pair)).toMatchObject({ word: 'OK', output: pair });
      expect(await surface.call(reader, 'pair', { a: { n: '1' }, b: { n: 2 } })).toMatchObject({
        word: 'BAD_INPUT',
        field: 'b.n',
      });
    },
  },
};
