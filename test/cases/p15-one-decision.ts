import { Injectable } from '@nestjs/common';
import { Capability, CapabilityPolicy } from 'nest-capabilities';
import { z } from 'zod';
import { anon, Calls, type CaseUser, declared, OkService, reader, writer } from './fixtures.js';
import type { PublicCase } from './public-case.js';

class SwitchedPolicy extends CapabilityPolicy<CaseUser | null, string> {
  on = true;

  userHasPermission(user: CaseUser | null, permission: string): boolean {
    return this.on && user !== null && user.permissions.includes(permission);
  }
}

function app() {
  const calls = new Calls();
  const policy = new SwitchedPolicy();
  const INPUT = z.object({ id: z.string() });
  @Injectable()
  class Host {
    @Capability(declared({ name: 'wipe', permission: 'docs:write', input: INPUT }))
    wipe(input: z.output<typeof INPUT>): void {
      calls.record(input);
    }
  }
  const setup = { providers: [Host, OkService], options: { policy: { useValue: policy } } };
  return { calls, policy, setup };
}

export const P15: PublicCase = {
  id: 'P15',
  title: 'hidden, denied and unvalidated are the same decision (SI-05, SI-37)',
  calls: {
    'without permission nothing is said about the input': async (open) => {
      const { calls, setup } = app();
      const surface = await open(setup);
      const denials = [];
      for (const args of [{ id: '1' }, {}, { nonsense: true }, []]) {
        denials.push(await surface.call(reader, 'wipe', args));
      }
      for (const denial of denials) {
        expect(denial).toMatchObject({ word: 'DENIED', reason: 'FORBIDDEN' });
        expect(denial.text).not.toMatch(/\bid\b|nonsense/);
      }
      expect(await surface.call(anon, 'wipe', {})).toMatchObject({
        word: 'DENIED',
        reason: 'UNAUTHENTICATED',
      });
      expect(calls.ran).toBe(0);
    },
    'the call decides, by what holds when it is made': async (open) => {
      const { calls, policy, setup } = app();
      const surface = await open(setup);
      policy.on = false;
      expect((await surface.call(writer, 'wipe', { id: '1' })).word).toBe('DENIED');
      policy.on = true;
      expect((await surface.call(writer, 'wipe', { id: '1' })).word).toBe('OK');
      expect(calls.ran).toBe(1);
    },
  },
  lists: {
    'shows what the caller may call': async (open) => {
      const { policy, setup } = app();
      const surface = await open(setup);
      const names = async (as: CaseUser) => (await surface.list(as)).map(({ name }) => name);
      expect(await names(reader)).toEqual(['ok']);
      expect(await names(writer)).toEqual(['ok', 'wipe']);
      policy.on = false;
      expect(await names(writer)).toEqual([]);
    },
  },
};
