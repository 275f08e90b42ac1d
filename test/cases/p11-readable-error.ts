import { Injectable } from '@nestjs/common';
import { Capability, CapabilityError } from 'nest-capabilities';
import { z } from 'zod';
import { boss, Calls, declared, reader, writer } from './fixtures.js';
import type { PublicCase } from './public-case.js';

const OUTPUT = z.object({ id: z.number() });
/** Output schemas that are advertised are what strict clients hold results against. */
const ADVERTISED = [true, false];

function app(outputSchema: boolean) {
  const calls = new Calls();
  @Injectable()
  class Host {
    @Capability(declared({ name: 'closed', permission: 'docs:read', input: z.object({}), output: OUTPUT }))
    closed(): { id: number } {
      calls.record();
      throw new CapabilityError('TOOL_ERROR', {
        code: 'CONFLICT',
        message: 'order 7 is closed',
        status: 409,
      });
    }

    @Capability(
      declared({
        name: 'gated',
        permission: 'docs:write',
        input: z.object({}),
        output: OUTPUT,
        approval: { required: true, by: 'another' },
      }),
    )
    gated(): { id: number } {
      calls.record();
      return { id: 7 };
    }
  }
  return { calls, setup: { providers: [Host], mcp: { outputSchema } } };
}

export const P11: PublicCase = {
  id: 'P11',
  title: 'an error can be read by every client',
  calls: {
    'with the words of the domain, whether or not an output schema is advertised': async (open) => {
      for (const outputSchema of ADVERTISED) {
        const { calls, setup } = app(outputSchema);
        const answer = await (await open(setup)).call(reader, 'closed', {});
        expect(answer).toMatchObject({ word: 'REFUSED', message: 'order 7 is closed' });
        expect(calls.ran).toBe(1);
      }
    },
    'and so can a call that waits, and its result': async (open) => {
      for (const outputSchema of ADVERTISED) {
        const { calls, setup } = app(outputSchema);
        const surface = await open(setup);
        const { word, approvalId } = await surface.call(writer, 'gated', {});
        expect([word, calls.ran]).toEqual(['NEEDS_APPROVAL', 0]);
        await surface.approvals.decide(boss, approvalId!, { approved: true });
        expect((await surface.approvals.resume(writer, approvalId!)).output).toEqual({ id: 7 });
      }
    },
  },
};
