import type { ErrorEnvelope } from 'nest-capabilities';
import type { CaseApp } from '../case-app.js';
import { ABSENT, type Answer, type CallingSurface, type CaseDriver, wordOf } from '../driver.js';
import type { Caller } from '../fixtures.js';

const name = 'rest';

/** The generated routes, and those of approvals, over real HTTP. */
export const REST: CaseDriver = { name, adapters: ['express', 'fastify'], calls };

function calls(on: CaseApp): CallingSurface {
  const post = (as: Caller, path: string, body?: unknown) => exchange(on, as, 'POST', path, body);
  return {
    id: 'rest',
    name,
    on,
    call: (as, capability, args) =>
      post(as, `/capabilities/${capability}`, args === ABSENT ? undefined : args),
    approvals: {
      pending: async (as) => {
        const { output } = await exchange(on, as, 'GET', '/approvals?view=decidable');
        const { approvals } = output as { approvals: readonly { approvalId: string }[] };
        return approvals.map(({ approvalId }) => approvalId);
      },
      decide: (as, id, { approved, reason }) =>
        post(as, `/approvals/${id}/decision`, { decision: approved ? 'approve' : 'reject', reason }),
      resume: (as, id) => post(as, `/approvals/${id}/execute`),
    },
  };
}

/** No body and no content type where there is nothing to send. */
async function exchange(
  on: CaseApp,
  as: Caller,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const response = await fetch(`${on.url}${path}`, {
    method,
    headers: {
      ...(as === null ? {} : { authorization: `Bearer ${as.id}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return answerOf(response.status, await response.text());
}

function answerOf(status: number, text: string): Answer {
  if (status === 204) return { word: 'OK', output: undefined, text };
  const body: unknown = JSON.parse(text);
  if (status === 200) return { word: 'OK', output: body, text };
  if (status === 202) {
    return { word: 'NEEDS_APPROVAL', approvalId: (body as { approvalId: string }).approvalId, text };
  }
  const { reason, field, message } = (body as ErrorEnvelope).error;
  const word = wordOf(status, reason);
  return { word, reason, message, ...(field === undefined ? {} : { field }), text };
}
