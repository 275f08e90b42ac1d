import { Injectable } from '@nestjs/common';
import type { DeskPermission, DeskUser } from './desk-user.js';

const READ: readonly DeskPermission[] = ['orders:read', 'customers:read', 'documents:read'];
const MANAGE: readonly DeskPermission[] = [
  ...READ,
  'orders:write',
  'customers:contact',
  'customers:write',
  'customers:erase',
  'documents:write',
  'approvals:decide',
];

const USERS: readonly DeskUser[] = [
  { id: 'ada', name: 'Ada, support agent', role: 'agent', tenant: 'north', permissions: READ },
  { id: 'mia', name: 'Mia, manager', role: 'manager', tenant: 'north', permissions: MANAGE },
  { id: 'max', name: 'Max, second manager', role: 'manager', tenant: 'north', permissions: MANAGE },
  { id: 'vic', name: 'Vic, viewer', role: 'viewer', tenant: 'north', permissions: ['documents:read'] },
  {
    id: 'bot',
    name: "Mia's assistant",
    role: 'assistant',
    tenant: 'north',
    actsFor: 'mia',
    permissions: [...READ, 'orders:write'],
  },
  {
    id: 'sol',
    name: 'Sol, manager of another tenant',
    role: 'manager',
    tenant: 'south',
    permissions: MANAGE,
  },
];

/** Who works at the desk, and what they may do now. */
@Injectable()
export class UserDirectory {
  private readonly users = new Map(USERS.map((user) => [user.id, user]));

  all(): readonly DeskUser[] {
    return [...this.users.values()];
  }

  find(id: string): DeskUser | undefined {
    return this.users.get(id);
  }
}
