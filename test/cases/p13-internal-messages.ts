import { Injectable, NotFoundException } from '@nestjs/common';
import { Capability } from 'nest-capabilities';
import { z } from 'zod';
import { Calls, declared, reader } from './fixtures.js';
import type { PublicCase } from './public-case.js';

function app() {
  const calls = new Calls();
  @Injectable()
  class Host {
    @Capability(declared({ name: 'broken', permission: 'docs:read', input: z.object({}) }))
    broken(): void {
      calls.record();
      throw new Error('connect ECONNREFUSED postgres://u:pw@10.0.0.5/db');
    }

    @Capability(declared({ name: 'missing', permission: 'docs:read', input: z.object({}) }))
    missing(): void {
      calls.record();
      throw new NotFoundException('order 7 not found');
    }
  }
  return { calls, setup: { providers: [Host] } };
}

export const P13: PublicCase = {
  id: 'P13',
  title: 'internal messages do not reach the caller (SI-15, SI-28)',
  calls: {
    'a fault is generic, and logged once with the name of the capability and without the password': async (
      open,
    ) => {
      const { calls, setup } = app();
      const surface = await open(setup);
      const answer = await surface.call(reader, 'broken', {});
      expect(answer.word).toBe('FAULT');
      expect(answer.text).not.toMatch(/postgres|ECONNREFUSED|10\.0\.0\.5|p13-internal/);
      const lines = surface.on.log.lines.filter((line) => line.includes('ECONNREFUSED'));
      expect(lines).toEqual([expect.stringContaining('broken')]);
      expect(lines[0]).not.toContain('u:pw');
      expect(JSON.stringify(surface.on.audit.events)).not.toMatch(/postgres|ECONNREFUSED/);
      expect(calls.ran).toBe(1);
    },
    'an exception of the method keeps its message': async (open) => {
      const { calls, setup } = app();
      const answer = await (await open(setup)).call(reader, 'missing', {});
      expect(answer).toMatchObject({
        word: 'REFUSED',
        reason: 'HTTP_EXCEPTION',
        message: 'order 7 not found',
      });
      expect(calls.ran).toBe(1);
    },
  },
};
