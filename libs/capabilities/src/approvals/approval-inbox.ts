import { CapabilityError } from '../errors/capability-error.js';
import { executionId } from '../kernel/ids.js';
import { principalRef, type Principal } from '../kernel/principal.js';
import type { SurfaceId } from '../contract/surface.js';
import type { ApprovalPorts } from './approval-ports.js';
import type { ApprovalRecord, ApprovalState } from './approval-record.js';
import type { ApprovalPage, ApprovalPageRequest } from './approval-store.js';
import { APPROVAL_PERMISSIONS, isRequester, type ApproverRules } from './approver-rules.js';

/** What a list of approvals shows. */
export interface InboxRequest {
  /**
   * `own`: asked by this human. `decidable`: pending, and this principal may answer. `all`: the whole tenant,
   * with `approvals:audit`. Default: own, and whatever this principal may decide or could have decided.
   */
  readonly view?: 'own' | 'decidable' | 'all';
  readonly states?: readonly ApprovalState[];
  readonly capability?: string;
  readonly type?: string;
  /** 1–200. Default 50. */
  readonly limit?: number;
  readonly cursor?: string;
  /** Default `'newest'`; `'oldest'` suits an inbox. */
  readonly order?: 'oldest' | 'newest';
}

export interface InboxPage {
  readonly records: readonly ApprovalRecord[];
  readonly next: string | undefined;
}

/** Store pages read for one page of a filtered list; a sparse list continues with its cursor. */
const MAX_SCANS = 10;

/** Lists approvals, each principal seeing only what it may; every list is recorded. */
export class ApprovalInbox {
  constructor(
    private readonly ports: ApprovalPorts,
    private readonly rules: ApproverRules,
  ) {}

  /** Throws UNAUTHENTICATED for anonymous callers and FORBIDDEN for `all` without `approvals:audit`. */
  async list(
    principal: Principal,
    request: InboxRequest = {},
    surface: SurfaceId = 'direct',
  ): Promise<InboxPage> {
    if (principal.kind === 'anonymous') throw new CapabilityError('UNAUTHENTICATED');
    if (request.view === 'all' && !(await this.rules.holds(principal, APPROVAL_PERMISSIONS.audit))) {
      throw new CapabilityError('FORBIDDEN');
    }
    const page = await this.read(principal, request);
    const id = executionId();
    this.ports.recorder.record({
      type: 'viewed',
      at: this.ports.clock.now(),
      executionId: id,
      correlationId: id,
      tenant: principal.tenant,
      principal: principalRef(principal),
      surface,
      capability: '*',
      what: `approvals:${request.view ?? 'visible'}`,
    });
    return page;
  }

  private async read(principal: Principal, request: InboxRequest): Promise<InboxPage> {
    const { view, capability, type, order } = request;
    const limit = Math.min(Math.max(Math.trunc(request.limit ?? 50), 1), 200);
    const states = view === 'decidable' ? (['pending'] as const) : request.states;
    const base: ApprovalPageRequest = {
      tenant: principal.tenant,
      limit,
      ...(states === undefined ? {} : { states }),
      ...(capability === undefined ? {} : { capability }),
      ...(type === undefined ? {} : { type }),
      ...(order === undefined ? {} : { order }),
      ...(view === 'own' ? { requester: principal.human ?? principal.id } : {}),
    };
    return this.collect(base, request.cursor, (record) => this.shows(principal, record, view));
  }

  /** Reads store pages until the page is full, the list ends, or enough was read. */
  private async collect(
    base: ApprovalPageRequest,
    cursor: string | undefined,
    shows: (record: ApprovalRecord) => Promise<boolean>,
  ): Promise<InboxPage> {
    const records: ApprovalRecord[] = [];
    let next = cursor;
    for (let scan = 0; scan < MAX_SCANS; scan++) {
      const page: ApprovalPage = await this.ports.store.list({
        ...base,
        ...(next === undefined ? {} : { cursor: next }),
      });
      for (const [index, record] of page.records.entries()) {
        if (!(await shows(record))) continue;
        records.push(record);
        if (records.length < base.limit) continue;
        const last = index === page.records.length - 1;
        return { records, next: last ? page.next : page.cursors[index] };
      }
      next = page.next;
      if (next === undefined) break;
    }
    return { records, next };
  }

  private async shows(
    principal: Principal,
    record: ApprovalRecord,
    view: InboxRequest['view'],
  ): Promise<boolean> {
    if (view === 'all') return true;
    if (view === 'own') return isRequester(principal, record.requester);
    if (view === undefined) return this.rules.maySee(principal, record);
    try {
      await this.rules.assertMayDecide(principal, record);
      return !record.votes.some((vote) => vote.human === principal.human);
    } catch {
      return false;
    }
  }
}
