import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Capability, type HandlerContext } from 'nest-capabilities';
import { z } from 'zod';
import type { CallingSurface } from './driver.js';
import { Calls, type CaseUser, declared, reader, writer } from './fixtures.js';
import type { PublicCase } from './public-case.js';

const TOTAL = 200;
const AT_ONCE = 50;

function app() {
  const calls = new Calls();
  @Injectable()
  class Host {
    @Capability(declared({ name: 'me', permission: 'docs:read', input: z.object({}) }))
    async me(_input: object, ctx: HandlerContext): Promise<string> {
      calls.record();
      await sleep(Math.random() * 20);
      return (ctx.user as CaseUser).id;
    }
  }
  return { calls, setup: { providers: [Host] } };
}

/** Answers that name somebody else than who asked. */
async function mismatches(surfaces: readonly CallingSurface[]): Promise<unknown[]> {
  const wrong: unknown[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < TOTAL) {
      const index = next++;
      const surface = surfaces[Math.floor(index / 2) % surfaces.length]!;
      const caller = index % 2 === 0 ? reader : writer;
      const { output } = await surface.call(caller, 'me', {});
      if (output !== caller.id) wrong.push([surface.name, caller.id, output]);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return wrong;
}

export const P19: PublicCase = {
  id: 'P19',
  title: 'fifty callers at once never swap identities (SI-01, SI-36)',
  calls: {
    'on one surface': async (open) => {
      const { calls, setup } = app();
      expect(await mismatches([await open(setup)])).toEqual([]);
      expect(calls.ran).toBe(TOTAL);
    },
  },
  together: {
    'on all surfaces mixed': async (open) => {
      const { calls, setup } = app();
      expect(await mismatches(await open(setup))).toEqual([]);
      expect(calls.ran).toBe(TOTAL);
    },
  },
};
