import { Injectable, NotFoundException } from '@nestjs/common';
import { Capability, CapabilityHost, type HandlerContext } from 'nest-capabilities';
import type { z } from 'zod';
import { DeskData } from '../data/desk-data.js';
import type { OrderRecord } from '../data/desk-records.js';
import { CancelOrderDto, FindOrderDto, OrderDto } from './orders.dto.js';
import * as schemas from './orders.schemas.js';

@Injectable()
@CapabilityHost({ namespace: 'orders', permission: 'orders:read', tags: ['orders'] })
export class OrdersService {
  constructor(private readonly data: DeskData) {}

  @Capability.read({
    description: 'Find one order by its id.',
    outputSchema: OrderDto,
    cites: (order) => [{ product: 'desk', kind: 'order', id: order.id }],
  })
  find(input: FindOrderDto, ctx: HandlerContext): OrderDto {
    return this.orderOf(ctx.principal.tenant, input.orderId);
  }

  @Capability.read({
    description: 'List the orders of one customer, newest first.',
    inputSchema: schemas.ListOrders,
    outputSchema: schemas.OrderList,
    http: { method: 'GET', path: '/customers/:customerId/orders' },
  })
  list(input: z.output<typeof schemas.ListOrders>, ctx: HandlerContext): z.input<typeof schemas.OrderList> {
    const orders = [...this.data.orders.values()].filter(
      (order) =>
        order.tenant === ctx.principal.tenant &&
        order.customerId === input.customerId &&
        (input.status === undefined || order.status === input.status),
    );
    return { orders: orders.slice(0, input.limit) };
  }

  @Capability({
    description: 'Compute what a partial refund would pay out. Changes nothing.',
    sideEffect: 'none',
    inputSchema: schemas.EstimateRefund,
    outputSchema: schemas.RefundEstimate,
    args: (input, ctx) => [ctx.principal.tenant, input.orderId, input.percent],
  })
  estimateRefund(tenant: string, orderId: string, percent: number): z.input<typeof schemas.RefundEstimate> {
    const order = this.orderOf(tenant, orderId);
    return { amount: Math.floor((order.total * percent) / 100), currency: order.currency };
  }

  @Capability.write({
    description: 'Refund part of an order to the customer.',
    permission: 'orders:write',
    risk: 'high',
    inputSchema: schemas.RefundOrder,
    outputSchema: schemas.Refund,
    failures: {
      NotRefundable: {
        schema: schemas.NotRefundable,
        fix: 'Refund at most the refundable amount, or leave the order as it is.',
        status: 409,
      },
    },
    describe: (input) => ({
      verb: 'refund',
      target: { product: 'desk', kind: 'order', id: input.orderId },
      arguments: { amount: input.amount, reason: input.reason },
      reversible: false,
    }),
    http: { example: { orderId: 'ord_1001', amount: 500, reason: 'Damaged in transit' } },
  })
  refund(input: z.output<typeof schemas.RefundOrder>, ctx: HandlerContext): z.input<typeof schemas.Refund> {
    const order = this.orderOf(ctx.principal.tenant, input.orderId);
    const refundable = order.status === 'cancelled' ? 0 : order.total - order.refunded;
    if (input.amount > refundable) ctx.fail('NotRefundable', { orderId: order.id, refundable });
    order.refunded += input.amount;
    if (order.refunded === order.total) order.status = 'refunded';
    return { orderId: order.id, refunded: order.refunded, remaining: order.total - order.refunded };
  }

  @Capability.destructive({
    description: 'Cancel an order for good.',
    permission: 'orders:write',
    risk: 'high',
    outputSchema: OrderDto,
    idempotent: true,
  })
  cancel(input: CancelOrderDto, ctx: HandlerContext): OrderDto {
    const order = this.orderOf(ctx.principal.tenant, input.orderId);
    order.status = 'cancelled';
    return order;
  }

  @Capability.write({
    description: 'Change the prices of all open orders by a percentage.',
    permission: 'orders:write',
    risk: 'critical',
    tags: ['internal'],
    inputSchema: schemas.RepriceOrders,
    outputSchema: schemas.Repriced,
  })
  reprice(
    input: z.output<typeof schemas.RepriceOrders>,
    ctx: HandlerContext,
  ): z.input<typeof schemas.Repriced> {
    const open = [...this.data.orders.values()].filter(
      (order) => order.tenant === ctx.principal.tenant && order.status === 'open',
    );
    for (const order of open) order.total = Math.round((order.total * (100 + input.percent)) / 100);
    return { orders: open.length };
  }

  private orderOf(tenant: string, id: string): OrderRecord {
    const order = this.data.orders.get(id);
    if (order === undefined || order.tenant !== tenant) throw new NotFoundException(`order ${id} not found`);
    return order;
  }
}
