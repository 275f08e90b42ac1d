import { z } from 'zod';
import { CURRENCIES, ORDER_STATUSES } from '../data/desk-records.js';

const orderId = z
  .string()
  .regex(/^ord_\d+$/)
  .describe('Order id.')
  .meta({ examples: ['ord_1001'] });

export const ListOrders = z.object({
  customerId: z
    .string()
    .describe('Customer id.')
    .meta({ examples: ['cus_1'] }),
  status: z.enum(ORDER_STATUSES).optional().describe('Only orders in this state.'),
  limit: z.number().int().min(1).max(50).default(20).describe('How many at most.'),
});

export const OrderList = z.object({
  orders: z.array(
    z.object({
      id: z.string(),
      status: z.enum(ORDER_STATUSES),
      total: z.number().int().describe('In cents.'),
    }),
  ),
});

export const EstimateRefund = z.object({
  orderId,
  percent: z
    .number()
    .int()
    .min(1)
    .max(100)
    .describe('Share of the order total.')
    .meta({ examples: [50] }),
});

export const RefundEstimate = z.object({
  amount: z.number().int().describe('In cents.'),
  currency: z.enum(CURRENCIES),
});

export const RefundOrder = z
  .object({
    orderId,
    amount: z
      .number()
      .int()
      .min(1)
      .describe('In cents.')
      .meta({ examples: [500] }),
    reason: z
      .string()
      .min(3)
      .max(200)
      .meta({ examples: ['Damaged in transit'] }),
  })
  .meta({ id: 'RefundOrder' });

export const Refund = z.object({
  orderId: z.string(),
  refunded: z.number().int(),
  remaining: z.number().int(),
});

export const NotRefundable = z.object({
  orderId: z.string(),
  refundable: z.number().int().describe('What could still be refunded, in cents.'),
});

export const RepriceOrders = z.object({
  percent: z
    .number()
    .int()
    .min(-50)
    .max(50)
    .meta({ examples: [5] }),
});
export const Repriced = z.object({ orders: z.number().int() });
