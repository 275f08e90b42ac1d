import type { AuditEvent } from 'nest-capabilities';

export type StoredEvent = AuditEvent & { readonly seq: number };

/** Every member that is given must match; `approval` is the approval's id, `who` the principal's. */
export interface AuditFilter {
  readonly approval?: string;
  readonly who?: string;
  readonly type?: string;
  readonly capability?: string;
  readonly [member: string]: unknown;
}

export function filterEvents(events: readonly StoredEvent[], filter: AuditFilter): StoredEvent[] {
  const { approval, who, ...members } = filter;
  return events.filter(
    (event) =>
      (approval === undefined || event.approvalId === approval) &&
      (who === undefined || event.principal?.id === who) &&
      Object.entries(members).every(
        ([name, value]) => (event as unknown as Record<string, unknown>)[name] === value,
      ),
  );
}
