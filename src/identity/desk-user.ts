/** Everything a person at the desk may be allowed to do. */
export type DeskPermission =
  | 'orders:read'
  | 'orders:write'
  | 'customers:read'
  | 'customers:contact'
  | 'customers:write'
  | 'customers:erase'
  | 'documents:read'
  | 'documents:write'
  | 'approvals:decide';

/** A person, or a program that acts for one. */
export interface DeskUser {
  readonly id: string;
  readonly name: string;
  readonly role: 'manager' | 'agent' | 'viewer' | 'assistant';
  readonly tenant: string;
  /** The person a program acts for. */
  readonly actsFor?: string;
  readonly permissions: readonly DeskPermission[];
}
