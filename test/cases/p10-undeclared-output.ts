import { Injectable } from '@nestjs/common';
import { ApprovalService, approvalView, Capability, completePrincipal } from 'nest-capabilities';
import { z } from 'zod';
import { boss, Calls, declared, principalOf, reader, writer } from './fixtures.js';
import type { PublicCase } from './public-case.js';

const OUTPUT = z.object({ id: z.number() });
const LEAKS = /S3CR3T|passwordHash/;

function app() {
  const calls = new Calls();
  @Injectable()
  class Host {
    @Capability(declared({ name: 'who', permission: 'docs:read', input: z.object({}), output: OUTPUT }))
    who(): { id: number } {
      return this.found();
    }

    @Capability(
      declared({
        name: 'whoGated',
        permission: 'docs:write',
        input: z.object({}),
        output: OUTPUT,
        approval: { required: true, by: 'another' },
      }),
    )
    whoGated(): { id: number } {
      return this.found();
    }

    private found(): { id: number } {
      calls.record();
      const row = { id: 1, passwordHash: 'S3CR3T' };
      return row;
    }
  }
  return { calls, setup: { providers: [Host] } };
}

export const P10: PublicCase = {
  id: 'P10',
  title: 'undeclared output fields leak on no channel (SI-13, SI-28)',
  calls: {
    'not in the answer, the audit or the log': async (open) => {
      const { calls, setup } = app();
      const surface = await open(setup);
      const answer = await surface.call(reader, 'who', {});
      expect(answer.output).toEqual({ id: 1 });
      expect(calls.ran).toBe(1);
      const { audit, log } = surface.on;
      expect(audit.events.map(({ type }) => type)).toContain('completed');
      for (const channel of [answer.text, JSON.stringify(audit.events), log.lines.join('\n')]) {
        expect(channel).not.toMatch(LEAKS);
      }
    },
    'not in the record of an approved call': async (open) => {
      const { calls, setup } = app();
      const surface = await open(setup);
      const { approvalId } = await surface.call(writer, 'whoGated', {});
      expect(approvalId).toEqual(expect.any(String));
      await surface.approvals.decide(boss, approvalId!, { approved: true });
      const answer = await surface.approvals.resume(writer, approvalId!);
      expect(answer.output).toEqual({ id: 1 });
      expect(calls.ran).toBe(1);
      const record = await surface.on.app
        .get(ApprovalService)
        .get(completePrincipal(principalOf(boss))!, approvalId!);
      expect(record.state).toBe('succeeded');
      const channels = [answer, record, approvalView(record), surface.on.audit.events];
      for (const channel of channels) expect(JSON.stringify(channel)).not.toMatch(LEAKS);
    },
  },
};
