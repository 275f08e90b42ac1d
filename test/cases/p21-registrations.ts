import { Injectable, Module, type Type } from '@nestjs/common';
import { Capability } from 'nest-capabilities';
import { z } from 'zod';
import type { CaseSetup } from './case-app.js';
import { Calls, declared, OkService, reader } from './fixtures.js';
import type { PublicCase } from './public-case.js';

function host(): { readonly calls: Calls; readonly Host: Type<object> } {
  const calls = new Calls();
  @Injectable()
  class Host {
    @Capability(declared({ name: 'act', permission: 'docs:read', input: z.object({}) }))
    act(): void {
      calls.record();
    }
  }
  return { calls, Host };
}

type Registered = { readonly calls: Calls; readonly setup: CaseSetup };

/** Registrations that are one provider. */
const ONE: Readonly<Record<string, () => Registered>> = {
  'an alias': () => {
    const { calls, Host } = host();
    return { calls, setup: { providers: [Host, { provide: 'ALIAS', useExisting: Host }, OkService] } };
  },
  'the capabilities module imported twice': () => {
    const { calls, Host } = host();
    return { calls, setup: { providers: [Host, OkService], imports: (again) => [again()] } };
  },
  'one dynamic module imported twice': () => {
    const { calls, Host } = host();
    @Module({})
    class Feature {}
    const feature = { module: Feature, providers: [Host] };
    return { calls, setup: { providers: [OkService], imports: () => [feature, feature] } };
  },
};

export const P21: PublicCase = {
  id: 'P21',
  title: 'one provider, several registrations',
  calls: {
    'that are one provider run once per call': async (open) => {
      for (const [title, register] of Object.entries(ONE)) {
        const { calls, setup } = register();
        const { word } = await (await open(setup)).call(reader, 'act', {});
        expect([title, word, calls.ran]).toEqual([title, 'OK', 1]);
      }
    },
  },
  lists: {
    'that are one provider are one entry': async (open) => {
      for (const [title, register] of Object.entries(ONE)) {
        const listed = await (await open(register().setup)).list(reader);
        expect([title, listed.map(({ name }) => name)]).toEqual([title, ['act', 'ok']]);
      }
    },
  },
  documents: {
    'that are one provider are one route': async (open) => {
      for (const [title, register] of Object.entries(ONE)) {
        const { paths } = (await open(register().setup)).document();
        const routes = Object.keys(paths).filter((path) => path.startsWith('/capabilities/'));
        expect([title, routes.sort()]).toEqual([title, ['/capabilities/act', '/capabilities/ok']]);
      }
    },
  },
  boots: {
    'in two feature modules names both': async (open) => {
      const { Host } = host();
      @Module({ providers: [Host] })
      class SalesModule {}
      @Module({ providers: [Host] })
      class StockModule {}
      await expect(open({ imports: () => [SalesModule, StockModule] })).rejects.toThrow(
        /act \(Host\.act\).*SalesModule and StockModule/,
      );
    },
    'by a dynamic module that is made twice names it': async (open) => {
      const { Host } = host();
      @Module({})
      class FeatureModule {}
      const made = (tag: string) => ({
        module: FeatureModule,
        providers: [Host, { provide: tag, useValue: 1 }],
      });
      await expect(open({ imports: () => [made('a'), made('b')] })).rejects.toThrow(
        /act \(Host\.act\).*FeatureModule and FeatureModule/,
      );
    },
  },
};
