import { type CanActivate, Injectable, type Type, UseGuards } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { Capability } from 'nest-capabilities';
import { z } from 'zod';
import type { CaseSetup } from './case-app.js';
import { Calls, declared, OkService, reader } from './fixtures.js';
import type { PublicCase } from './public-case.js';

class AlwaysTrue implements CanActivate {
  canActivate(): boolean {
    return true;
  }
}

class AlwaysFalse implements CanActivate {
  canActivate(): boolean {
    return false;
  }
}

const PLACES = ['class', 'method', 'APP_GUARD', 'module option'] as const;
type Place = (typeof PLACES)[number];

function app(guard?: Type<CanActivate>, place?: Place): { readonly calls: Calls; readonly setup: CaseSetup } {
  const calls = new Calls();
  const at = (candidate: Place): Type<CanActivate>[] => (guard && place === candidate ? [guard] : []);
  @Injectable()
  @UseGuards(...at('class'))
  class Host {
    @UseGuards(...at('method'))
    @Capability(declared({ name: 'act', permission: 'docs:read', input: z.object({ id: z.string() }) }))
    act(): string {
      calls.record();
      return 'done';
    }
  }
  const global = at('APP_GUARD').map((useClass) => ({ provide: APP_GUARD, useClass }));
  return {
    calls,
    setup: { providers: [Host, OkService, ...global], options: { guards: at('module option') } },
  };
}

export const P16: PublicCase = {
  id: 'P16',
  title: 'guards of the application (SI-07)',
  calls: {
    'that allow all change nothing, in whatever place': async (open) => {
      for (const place of PLACES) {
        const { calls, setup } = app(AlwaysTrue, place);
        const answer = await (await open(setup)).call(reader, 'act', { id: '1' });
        expect([place, answer.word, calls.ran]).toEqual([place, 'OK', 1]);
      }
    },
    'that deny are obeyed in whatever place, before any input is looked at': async (open) => {
      for (const place of PLACES) {
        const { calls, setup } = app(AlwaysFalse, place);
        const surface = await open(setup);
        for (const args of [{ id: '1' }, {}]) {
          const { word } = await surface.call(reader, 'act', args);
          expect([place, word, calls.ran]).toEqual([place, 'DENIED', 0]);
        }
      }
    },
  },
  lists: {
    'is the same with a guard that allows all': async (open) => {
      const listed = await (await open(app().setup)).list(reader);
      expect(listed.map(({ name }) => name)).toEqual(['act', 'ok']);
      for (const place of PLACES) {
        expect(await (await open(app(AlwaysTrue, place).setup)).list(reader)).toEqual(listed);
      }
    },
  },
};
