import { Injectable } from '@nestjs/common';
import { Capability } from 'nest-capabilities';
import { z } from 'zod';
import { boss, Calls, declared, writer } from './fixtures.js';
import type { PublicCase } from './public-case.js';

const INPUT = z.object({
  id: z.number(),
  opts: z.object({ a: z.number(), b: z.number() }).optional(),
});
const ASKED = { id: 5, opts: { a: 1, b: 2 } };
const REORDERED = { opts: { b: 2, a: 1 }, id: 5 };

function app() {
  const calls = new Calls();
  @Injectable()
  class Host {
    @Capability(
      declared({
        name: 'wipe',
        permission: 'docs:write',
        destructive: true,
        input: INPUT,
        approval: { required: true, by: 'another' },
      }),
    )
    wipe(input: z.output<typeof INPUT>): void {
      calls.record(input);
    }
  }
  return { calls, setup: { providers: [Host] } };
}

export const P24: PublicCase = {
  id: 'P24',
  title: 'an approval is for these arguments (SI-18, SI-19)',
  calls: {
    'and for no others, once': async (open) => {
      const { calls, setup } = app();
      const surface = await open(setup);
      const { approvals } = surface;
      const { approvalId: id } = await surface.call(writer, 'wipe', ASKED);
      expect((await approvals.decide(boss, id!, { approved: true })).word).toBe('OK');

      const other = await surface.call(writer, 'wipe', { id: 9 });
      expect(other.word).toBe('NEEDS_APPROVAL');
      expect(other.approvalId).not.toBe(id);
      expect((await surface.call(writer, 'wipe', { id: '5' })).word).toBe('BAD_INPUT');
      expect(calls.ran).toBe(0);

      const again = await surface.call(writer, 'wipe', REORDERED);
      if (again.word === 'NEEDS_APPROVAL') {
        expect(again.approvalId).toBe(id);
        expect((await approvals.resume(writer, id!)).word).toBe('OK');
      } else {
        expect(again.word).toBe('OK');
      }
      expect(calls.inputs).toEqual([ASKED]);
      expect(await approvals.resume(writer, id!)).toMatchObject({ word: 'REFUSED', reason: 'CONSUMED' });
      expect(calls.ran).toBe(1);
    },
    'and an unknown or stale id decides nothing else': async (open) => {
      const { calls, setup } = app();
      const surface = await open(setup);
      const { approvals } = surface;
      const decided = (await surface.call(writer, 'wipe', ASKED)).approvalId!;
      const waiting = (await surface.call(writer, 'wipe', { id: 9 })).approvalId!;
      await approvals.decide(boss, decided, { approved: false });
      const stale = await approvals.decide(boss, decided, { approved: true });
      expect(stale).toMatchObject({ word: 'REFUSED', reason: 'ALREADY_DECIDED' });
      for (const id of ['00000000-0000-4000-8000-000000000000', 'nonsense']) {
        expect((await approvals.decide(boss, id, { approved: true })).word).toBe('UNKNOWN');
      }
      expect(await approvals.pending(boss)).toEqual([waiting]);
      expect((await approvals.resume(writer, waiting)).word).toBe('NEEDS_APPROVAL');
      expect((await approvals.resume(writer, decided)).word).toBe('DENIED');
      expect(calls.ran).toBe(0);
    },
  },
};
