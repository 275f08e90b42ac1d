import { Inject, Injectable } from '@nestjs/common';
import { CapabilityError } from '../../errors/capability-error.js';
import type { HandlerContext } from '../../contract/handler-context.js';
import { CapabilityRunner } from '../../execution/capability-runner.js';
import { isUuid } from '../../kernel/ids.js';
import type { StandardSchema } from '../../kernel/standard-schema.js';
import { Capability } from '../../registry/capability.decorator.js';
import { CapabilityHost } from '../../registry/capability-host.decorator.js';

export interface ResumeInput {
  readonly approvalId: string;
}

const JSON_SCHEMA = Object.freeze({
  type: 'object',
  properties: { approvalId: { type: 'string', format: 'uuid', description: 'Id of the approved call.' } },
  required: ['approvalId'],
  additionalProperties: false,
});

const RESUME_INPUT: StandardSchema<ResumeInput> = {
  '~standard': {
    version: 1,
    vendor: 'nest-capabilities',
    validate: (value) => {
      const { approvalId } = value as Partial<ResumeInput>;
      return typeof approvalId === 'string' && isUuid(approvalId)
        ? { value: { approvalId } }
        : { issues: [{ message: 'Expected the id of an approval.', path: ['approvalId'] }] };
    },
    jsonSchema: { input: () => ({ ...JSON_SCHEMA }), output: () => ({ ...JSON_SCHEMA }) },
  },
};

/**
 * An opt-in tool, `approvals_execute`: runs a call of the caller's own that was approved. It can execute and
 * never decide; a call that still waits answers so. Add it to the providers of a module.
 */
@Injectable()
@CapabilityHost({ namespace: 'approvals', expose: ['mcp'], risk: 'low', permission: null })
export class ApprovalResumeTool {
  constructor(@Inject(CapabilityRunner) private readonly runner: CapabilityRunner) {}

  @Capability.write({
    title: 'Run an approved call',
    description:
      'Runs a call of yours that was waiting for approval and has been approved. Give its approvalId.',
    inputSchema: RESUME_INPUT,
    approval: { required: false },
  })
  async execute({ approvalId }: ResumeInput, ctx: HandlerContext): Promise<unknown> {
    const { principal, signal, client } = ctx;
    const outcome = await this.runner.executeApproval(approvalId, {
      principal,
      surface: 'mcp',
      signal,
      ...(client === undefined ? {} : { channel: { client } }),
    });
    if (outcome.status === 'completed') return outcome.output;
    if (outcome.status === 'suspended') {
      const message = `This call still waits for approval until ${outcome.approval.decideBy}.`;
      throw new CapabilityError('APPROVAL_REQUIRED', { message, approvalId });
    }
    // Unknown and foreign approvals are one answer, which must not look like an unknown tool.
    if (outcome.error.reason !== 'NOT_FOUND') throw outcome.error;
    throw new CapabilityError('TOOL_ERROR', { code: 'NOT_FOUND', message: 'No such approval.', status: 404 });
  }
}
