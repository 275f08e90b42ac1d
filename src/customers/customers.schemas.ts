import { z } from 'zod';

const customerId = z
  .string()
  .describe('Customer id.')
  .meta({ examples: ['cus_1'] });

export const CustomerRef = z.object({ customerId });

export const Customer = z
  .object({ id: z.string(), name: z.string(), email: z.string(), phone: z.string() })
  .meta({ id: 'Customer' });

export const Erased = z.object({ customerId: z.string(), erased: z.literal(true) });

export const NotifyCustomer = z.object({
  customerId,
  subject: z
    .string()
    .min(1)
    .max(120)
    .meta({ examples: ['Your order is on its way'] }),
  body: z
    .string()
    .min(1)
    .max(2000)
    .meta({ examples: ['It left our warehouse today.'] }),
});
export const Notified = z.object({ delivered: z.boolean() });

export const Nothing = z.object({});

export const CustomerExport = z.object({ customers: z.array(Customer) });
