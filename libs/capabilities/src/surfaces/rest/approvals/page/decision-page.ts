import type { ApprovalRecord } from '../../../../approvals/approval-record.js';
import type { Risk } from '../../../../contract/capability-options.js';
import { type Content, type Markup, markup, untrusted } from './markup.js';
import { argumentsTable } from './arguments-table.js';
import { relativeTime } from './relative-time.js';

/** What the page shows beside the record. */
export interface DecisionPageModel {
  readonly record: ApprovalRecord;
  /** Title and risk of the capability; undefined when it no longer exists. */
  readonly capability: { readonly title: string; readonly risk: Risk } | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Proof that a form came from this page; undefined: no form, this reader has nothing to decide. */
  readonly token: string | undefined;
  /** Why the last click did nothing. */
  readonly notice?: string;
}

const HASH_PREFIX = 12;

/** The main part of the page of one approval. Every text from outside is shown whole, and as text. */
export function decisionPage(model: DecisionPageModel): Markup {
  const { record, notice, token } = model;
  return markup`<h1>${untrusted(record.action.verb)}</h1>
    ${notice === undefined ? '' : markup`<p class="notice" role="alert">${untrusted(notice)}</p>`}
    <p><strong>${stateSentence(record)}</strong></p>
    <dl>${facts(model)}</dl>
    <h2>Arguments</h2>
    ${argumentsTable(record.action.arguments)} ${token === undefined ? '' : forms(token)}`;
}

function facts({ record, capability, now }: DecisionPageModel): Content {
  const { action, tenant, reasons, quorum, votes, inputHash } = record;
  const { product, kind, id } = action.target;
  const title = capability === undefined ? '' : markup`${untrusted(capability.title)} · `;
  return [
    fact('Asked by', requester(record)),
    fact('Tenant', untrusted(tenant)),
    fact('Capability', markup`${title}${untrusted(record.capability)}`),
    ...(capability === undefined ? [] : [fact('Risk', capability.risk)]),
    fact('Target', untrusted([product, kind, id].join(' / '))),
    fact('Can be undone', action.reversible ? 'Yes' : 'No'),
    ...reasons.map((reason) => fact('Why approval', untrusted(reason))),
    fact('Asked', moment(record.createdAt, now)),
    fact('Decide before', moment(record.decideBy, now)),
    ...(record.executeBy === null ? [] : [fact('Execute before', moment(record.executeBy, now))]),
    fact('Approvals', `${votes.filter(({ decision }) => decision === 'approve').length} of ${quorum}`),
    fact('Input hash', markup`<code>${inputHash.slice(0, HASH_PREFIX)}</code>`),
  ];
}

const fact = (name: string, content: Content): Markup =>
  markup`<dt>${name}</dt>
    <dd>${content}</dd> `;

/** The human, and what acts for them, on which surface. */
function requester({ requester: { kind, id, human }, surface }: ApprovalRecord): Markup {
  const who = kind === 'user' ? untrusted(human ?? id) : markup`${kind} ${untrusted(id)}`;
  const behind = kind === 'user' || human === null ? '' : markup` for ${untrusted(human)}`;
  return markup`${who}${behind}, on ${surface}`;
}

function moment(at: number, now: number): Markup {
  const iso = new Date(at).toISOString();
  return markup`<time datetime="${iso}">${iso}</time> (${relativeTime(at - now)})`;
}

function stateSentence(record: ApprovalRecord): Markup {
  const { decision, note } = record;
  const by =
    decision === null ? '' : markup` by ${untrusted(decision.by)} at ${new Date(decision.at).toISOString()}`;
  const why = decision?.reason ?? note;
  return markup`${STATES[record.state]}${by}.${why ? markup` Reason: ${untrusted(why)}` : ''}`;
}

const STATES: Readonly<Record<ApprovalRecord['state'], string>> = {
  pending: 'Waiting for a decision',
  approved: 'Approved',
  denied: 'Denied',
  expired: 'Expired',
  cancelled: 'Withdrawn',
  void: 'Void',
  claimed: 'Running, approved',
  succeeded: 'Executed, approved',
  failed: 'Executed and failed, approved',
  unknown: 'Executed with an unknown outcome, approved',
};

function forms(token: string): Markup {
  const proof = markup`<input type="hidden" name="token" value="${token}" />`;
  return markup`<h2>Decision</h2>
    <form method="post">
      ${proof}
      <button class="approve" name="decision" value="approve">Approve</button>
    </form>
    <form method="post">
      ${proof}
      <label for="reason">Reason</label>
      <textarea id="reason" name="reason" maxlength="2000"></textarea>
      <p><button class="deny" name="decision" value="reject">Deny</button></p>
    </form>`;
}
