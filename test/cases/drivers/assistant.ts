import { ERROR_TABLE } from 'nest-capabilities';
import { AssistantService, type ToolCallResult } from 'nest-capabilities/assistant';
import type { CaseApp } from '../case-app.js';
import {
  ABSENT,
  type Answer,
  type CallingSurface,
  type CaseDriver,
  type ListingSurface,
  wordOf,
} from '../driver.js';
import { principalOf } from '../fixtures.js';
import { DIRECT } from './direct.js';

const name = 'assistant';

/** The tool set given to a model in this process, and one execution of a tool. */
export const ASSISTANT: CaseDriver = { name, adapters: ['express'], calls, lists };

function calls(on: CaseApp): CallingSurface {
  const assistant = on.app.get(AssistantService);
  return {
    id: name,
    name,
    on,
    // Humans decide and resume elsewhere: no route of a model does.
    approvals: DIRECT.calls!(on).approvals,
    call: async (as, tool, args) => {
      const input = args === ABSENT ? undefined : args;
      return answerOf(await assistant.call(principalOf(as), tool.replaceAll('.', '_'), input));
    },
  };
}

function lists(on: CaseApp): ListingSurface {
  const assistant = on.app.get(AssistantService);
  return { name, on, list: (as) => assistant.tools(principalOf(as), { format: 'mcp' }) };
}

function answerOf(result: ToolCallResult): Answer {
  const text = JSON.stringify(result);
  if (result.status === 'suspended') {
    return { word: 'NEEDS_APPROVAL', approvalId: result.approval.approvalId, text };
  }
  if (result.status === 'completed') {
    const { output } = result;
    expect(result.content).toBe(typeof output === 'string' ? output : JSON.stringify(output ?? null));
    return { word: 'OK', output, text };
  }
  const { reason, message, field } = result.error;
  expect([result.isError, JSON.parse(result.content)]).toEqual([true, { error: result.error }]);
  const word = reason === 'HTTP_EXCEPTION' ? 'REFUSED' : wordOf(ERROR_TABLE[reason].http, reason);
  return { word, reason, message, ...(field === undefined ? {} : { field }), text };
}
