import { Injectable, NotFoundException } from '@nestjs/common';
import { Capability, CapabilityHost, type HandlerContext } from 'nest-capabilities';
import type { z } from 'zod';
import { DeskData } from '../data/desk-data.js';
import type { CustomerRecord } from '../data/desk-records.js';
import { CustomerDto, UpdateContactDto } from './customers.dto.js';
import * as schemas from './customers.schemas.js';
import { maskContact } from './mask-contact.js';

@Injectable()
@CapabilityHost({ namespace: 'customers', permission: 'customers:read', tags: ['customers'] })
export class CustomersService {
  constructor(private readonly data: DeskData) {}

  @Capability.read({
    description: 'Find one customer. Contact data is masked for whoever may not contact customers.',
    inputSchema: schemas.CustomerRef,
    outputSchema: schemas.Customer,
    redact: {
      output: (customer, { principal }) =>
        principal.permissions.includes('customers:contact') ? customer : maskContact(customer),
    },
    cites: (customer) => [{ product: 'desk', kind: 'customer', id: customer.id }],
  })
  find(input: z.output<typeof schemas.CustomerRef>, ctx: HandlerContext): z.input<typeof schemas.Customer> {
    return this.customerOf(ctx, input.customerId);
  }

  @Capability.write({
    description: "Change a customer's e-mail address or telephone number.",
    permission: 'customers:write',
    outputSchema: CustomerDto,
    idempotent: true,
  })
  updateContact(input: UpdateContactDto, ctx: HandlerContext): CustomerDto {
    const customer = this.customerOf(ctx, input.customerId);
    customer.email = input.email ?? customer.email;
    customer.phone = input.phone ?? customer.phone;
    return customer;
  }

  @Capability.destructive({
    description: 'Erase a customer and their contact data for good.',
    permission: 'customers:erase',
    risk: 'critical',
    inputSchema: schemas.CustomerRef,
    outputSchema: schemas.Erased,
    describe: (input) => ({
      verb: 'erase',
      target: { product: 'desk', kind: 'customer', id: input.customerId },
      arguments: {},
      reversible: false,
    }),
  })
  erase(input: z.output<typeof schemas.CustomerRef>, ctx: HandlerContext): z.input<typeof schemas.Erased> {
    const customer = this.customerOf(ctx, input.customerId);
    this.data.customers.delete(customer.id);
    return { customerId: customer.id, erased: true };
  }

  @Capability.external({
    description: 'Send a customer an e-mail.',
    permission: 'customers:contact',
    risk: 'medium',
    inputSchema: schemas.NotifyCustomer,
    outputSchema: schemas.Notified,
  })
  notify(
    input: z.output<typeof schemas.NotifyCustomer>,
    ctx: HandlerContext,
  ): z.input<typeof schemas.Notified> {
    const { email } = this.customerOf(ctx, input.customerId);
    this.data.outbox.push({ to: email, subject: input.subject, body: input.body });
    return { delivered: true };
  }

  @Capability.read({
    name: 'customers.export',
    description: 'Every customer of the tenant, for the nightly export.',
    permission: 'customers:contact',
    expose: ['jobs'],
    inputSchema: schemas.Nothing,
    outputSchema: schemas.CustomerExport,
  })
  exportAll(
    _input: z.output<typeof schemas.Nothing>,
    ctx: HandlerContext,
  ): z.input<typeof schemas.CustomerExport> {
    const customers = [...this.data.customers.values()];
    return { customers: customers.filter(({ tenant }) => tenant === ctx.principal.tenant) };
  }

  private customerOf(ctx: HandlerContext, id: string): CustomerRecord {
    const customer = this.data.customers.get(id);
    if (customer === undefined || customer.tenant !== ctx.principal.tenant) {
      throw new NotFoundException(`customer ${id} not found`);
    }
    return customer;
  }
}
