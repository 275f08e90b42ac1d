import { Injectable } from '@nestjs/common';
import { Capability } from 'nest-capabilities';
import { z } from 'zod';
import { boss, Calls, declared, writer } from './fixtures.js';
import type { PublicCase } from './public-case.js';

const INPUT = z.object({ id: z.number() });

function app() {
  const wiped = new Calls();
  const dropped = new Calls();
  const shared = {
    permission: 'docs:write',
    destructive: true,
    input: INPUT,
    approval: { required: true, by: 'another' },
  } as const;
  @Injectable()
  class Host {
    @Capability(declared({ ...shared, name: 'wipe' }))
    wipe(input: z.output<typeof INPUT>): void {
      wiped.record(input);
    }

    @Capability(declared({ ...shared, name: 'drop' }))
    drop(input: z.output<typeof INPUT>): void {
      dropped.record(input);
    }
  }
  return { wiped, dropped, setup: { providers: [Host] } };
}

export const P23: PublicCase = {
  id: 'P23',
  title: 'denied means never run (SI-19)',
  calls: {
    'and a new call is a new request': async (open) => {
      const { wiped, dropped, setup } = app();
      const surface = await open(setup);
      const { approvals } = surface;
      const wipe = await surface.call(writer, 'wipe', { id: 1 });
      const drop = await surface.call(writer, 'drop', { id: 1 });
      expect([wipe.word, drop.word]).toEqual(['NEEDS_APPROVAL', 'NEEDS_APPROVAL']);
      expect(drop.approvalId).not.toBe(wipe.approvalId);

      expect((await approvals.decide(boss, wipe.approvalId!, { approved: false, reason: 'no' })).word).toBe(
        'OK',
      );
      expect((await approvals.decide(boss, drop.approvalId!, { approved: true })).word).toBe('OK');
      expect((await approvals.resume(writer, drop.approvalId!)).word).toBe('OK');
      const denied = await approvals.resume(writer, wipe.approvalId!);
      expect(denied).toMatchObject({ word: 'DENIED', reason: 'APPROVAL_DENIED' });
      expect(denied.text).toMatch(/"[^"]*\bno\b[^"]*"/);

      const again = await surface.call(writer, 'wipe', { id: 1 });
      expect(again.word).toBe('NEEDS_APPROVAL');
      expect(again.approvalId).not.toBe(wipe.approvalId);
      expect([wiped.ran, dropped.inputs]).toEqual([0, [{ id: 1 }]]);
    },
    'and nobody decides on their own request (SI-20)': async (open) => {
      const { wiped, setup } = app();
      const surface = await open(setup);
      const own = await surface.call(boss, 'wipe', { id: 1 });
      const refused = await surface.approvals.decide(boss, own.approvalId!, { approved: true });
      expect(refused).toMatchObject({ word: 'DENIED', reason: 'SELF_APPROVAL' });
      expect((await surface.approvals.resume(boss, own.approvalId!)).word).toBe('NEEDS_APPROVAL');
      expect(wiped.ran).toBe(0);
    },
  },
};
