export const ORDER_STATUSES = ['open', 'shipped', 'refunded', 'cancelled'] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

export const CURRENCIES = ['EUR', 'USD'] as const;
export type Currency = (typeof CURRENCIES)[number];

export interface OrderRecord {
  readonly id: string;
  readonly tenant: string;
  readonly customerId: string;
  status: OrderStatus;
  readonly currency: Currency;
  /** In cents. */
  total: number;
  /** In cents. */
  refunded: number;
  readonly placedAt: Date;
}

export interface CustomerRecord {
  readonly id: string;
  readonly tenant: string;
  name: string;
  email: string;
  phone: string;
  readonly passwordHash: string;
}

export interface DocumentRecord {
  readonly id: string;
  readonly tenant: string;
  title: string;
  body: string;
  state: 'draft' | 'published';
}

export interface MailRecord {
  readonly to: string;
  readonly subject: string;
  readonly body: string;
}
