import { Injectable } from '@nestjs/common';
import { Capability } from 'nest-capabilities';
import { z } from 'zod';
import type { CaseSetup } from './case-app.js';
import { Calls, declared, OkService, writer } from './fixtures.js';
import type { PublicCase } from './public-case.js';

const MUTATE = z.discriminatedUnion('action', [
  z.object({ action: z.literal('create'), title: z.string() }),
  z.object({ action: z.literal('delete'), id: z.string() }),
]);

function app(): CaseSetup & { readonly calls: Calls } {
  const calls = new Calls();
  @Injectable()
  class Host {
    @Capability(declared({ name: 'mutate', permission: 'docs:write', input: MUTATE }))
    mutate(input: z.output<typeof MUTATE>): void {
      calls.record(input);
    }
  }
  return { calls, providers: [Host, OkService] };
}

export const P01: PublicCase = {
  id: 'P01',
  title: 'a discriminated union as the whole input',
  calls: {
    'runs a branch once, with exactly its input': async (open) => {
      const { calls, ...setup } = app();
      const surface = await open(setup);
      expect((await surface.call(writer, 'mutate', { action: 'create', title: 'x' })).word).toBe('OK');
      expect(calls.inputs).toEqual([{ action: 'create', title: 'x' }]);
    },
    'names the field that a branch lacks, and the discriminator that fits none': async (open) => {
      const { calls, ...setup } = app();
      const surface = await open(setup);
      expect(await surface.call(writer, 'mutate', { action: 'create' })).toMatchObject({
        word: 'BAD_INPUT',
        field: 'title',
      });
      expect(await surface.call(writer, 'mutate', { action: 'purge' })).toMatchObject({
        word: 'BAD_INPUT',
        field: 'action',
      });
      expect(calls.ran).toBe(0);
    },
  },
  lists: {
    'shows an object that tells every branch, beside an unchanged sibling': async (open) => {
      const { calls: _calls, ...setup } = app();
      const listed = await (await open(setup)).list(writer);
      const mutate = listed.find(({ name }) => name === 'mutate');
      expect(mutate?.inputSchema['type']).toBe('object');
      const text = JSON.stringify(mutate?.inputSchema);
      for (const word of ['title', 'id', 'create', 'delete']) expect(text).toContain(word);
      const alone = await (await open({ providers: [OkService] })).list(writer);
      expect(listed.filter(({ name }) => name === 'ok')).toEqual(alone);
      expect(alone).toHaveLength(1);
    },
  },
  documents: {
    'mentions both branches in the request body': async (open) => {
      const { calls: _calls, ...setup } = app();
      const document = (await open(setup)).document();
      const body = JSON.stringify(document.paths['/capabilities/mutate']?.post?.requestBody);
      const schemas = JSON.stringify(document.components?.schemas ?? {});
      for (const word of ['title', 'create', 'delete']) expect(body + schemas).toContain(word);
    },
  },
};
