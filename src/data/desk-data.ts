import { Injectable } from '@nestjs/common';
import type { CustomerRecord, DocumentRecord, MailRecord, OrderRecord } from './desk-records.js';

const order = (
  id: string,
  tenant: string,
  customerId: string,
  status: OrderRecord['status'],
  total: number,
): OrderRecord => ({
  id,
  tenant,
  customerId,
  status,
  currency: 'EUR',
  total,
  refunded: 0,
  placedAt: new Date('2026-03-01T09:30:00.000Z'),
});

const customer = (id: string, tenant: string, name: string): CustomerRecord => ({
  id,
  tenant,
  name,
  email: `${name.split(' ')[0]?.toLowerCase()}@example.com`,
  phone: '+49 30 5550100',
  passwordHash: 'never-leaves-the-service',
});

const document = (
  id: string,
  tenant: string,
  title: string,
  body: string,
  state: DocumentRecord['state'],
): DocumentRecord => ({
  id,
  tenant,
  title,
  body,
  state,
});

/** The desk's database: in memory, seeded, the same at every start. */
@Injectable()
export class DeskData {
  readonly orders = new Map<string, OrderRecord>();
  readonly customers = new Map<string, CustomerRecord>();
  readonly documents = new Map<string, DocumentRecord>();
  readonly outbox: MailRecord[] = [];
  readonly openingHours = { monday: '09:00-17:00', saturday: 'closed' };

  constructor() {
    this.seed();
  }

  /** Puts every record back to where the demo starts. */
  seed(): void {
    fill(this.orders, [
      order('ord_1001', 'north', 'cus_1', 'open', 12_500),
      order('ord_1002', 'north', 'cus_1', 'shipped', 4_990),
      order('ord_1003', 'north', 'cus_2', 'cancelled', 1_000),
      order('ord_2001', 'south', 'cus_9', 'open', 8_000),
    ]);
    fill(this.customers, [
      customer('cus_1', 'north', 'Grace Hopper'),
      customer('cus_2', 'north', 'Edsger Dijkstra'),
      customer('cus_9', 'south', 'Barbara Liskov'),
    ]);
    fill(this.documents, [
      document('doc_1', 'north', 'Refund policy', 'Refunds within 30 days of delivery.', 'published'),
      document('doc_2', 'north', 'Winter shipping', 'Parcels take two days longer.', 'draft'),
      document('doc_9', 'south', 'Refund policy', 'Refunds within 14 days.', 'published'),
    ]);
    this.outbox.length = 0;
  }
}

function fill<T extends { readonly id: string }>(table: Map<string, T>, rows: readonly T[]): void {
  table.clear();
  for (const row of rows) table.set(row.id, row);
}
