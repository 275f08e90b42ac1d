/* Compile-time tests of the decorator: every `@ts-expect-error` must be an error, everything else must compile. */
import { z } from 'zod';
import { defineContract } from '../contract/define-contract.js';
import type { HandlerContext } from '../contract/handler-context.js';
import { toolError, type ToolError } from '../errors/tool-error.js';
import { Capability } from './capability.decorator.js';
import { CapabilityHost } from './capability-host.decorator.js';

const find = z.object({ id: z.string(), limit: z.coerce.number().default(10) });
const order = z.object({ id: z.string(), total: z.string().transform(Number) });

class FindDto {
  id!: string;
}
class OrderDto {
  id!: string;
  total!: number;
}

const base = { description: 'Orders.', risk: 'low', permission: null, expose: ['rest'] } as const;
const read = { ...base, sideEffect: 'read' } as const;

const failures = { Vanished: { schema: z.object({ id: z.string() }), fix: 'List the orders first.' } };

interface AppUser {
  readonly email: string;
}

@CapabilityHost({ namespace: 'orders', expose: ['rest', 'mcp'], permission: 'orders:read', risk: 'low' })
export class Fits {
  @Capability({ ...read, inputSchema: find, outputSchema: order })
  exact(input: { id: string; limit: number }): { id: string; total: string } {
    return { id: input.id, total: String(input.limit) };
  }

  @Capability({ ...read, inputSchema: find, outputSchema: order })
  async promised(input: z.output<typeof find>, _ctx: HandlerContext): Promise<z.input<typeof order>> {
    return { id: input.id, total: '1' };
  }

  @Capability.read({ ...base, inputSchema: find, outputSchema: order })
  withoutParameters() {
    return { id: '1', total: '1' };
  }

  @Capability.read({ ...base, inputSchema: find })
  widerInput(input: { id: unknown }, ctx: HandlerContext<AppUser, { team: string }>) {
    return [input.id, ctx.user.email, ctx.context.team];
  }

  @Capability.read({ ...base, outputSchema: OrderDto })
  dto(input: FindDto): OrderDto {
    return { id: input.id, total: 1 };
  }

  @Capability.write({ ...base, inputSchema: FindDto, outputSchema: OrderDto })
  explicitDto(input: FindDto): OrderDto | ToolError {
    return input.id === '' ? toolError('NOT_FOUND', 'No such order.') : { id: input.id, total: 1 };
  }

  @Capability.destructive({
    ...base,
    inputSchema: find,
    args: (input, ctx) => [input.id, input.limit, ctx.signal],
    describe: (input) => ({
      verb: 'cancel',
      target: { product: 'shop', kind: 'order', id: input.id },
      arguments: { limit: input.limit },
      reversible: false,
    }),
  })
  positional(id: string, limit: number, signal: AbortSignal, note?: string) {
    return [id, limit, signal.aborted, note];
  }

  @Capability.write({ ...base, inputSchema: find, failures })
  fails(input: { id: string }, ctx: HandlerContext<AppUser, unknown, typeof failures>) {
    if (input.id === '') ctx.fail('Vanished', { id: input.id });
    // @ts-expect-error the failure has no such field
    if (input.id === '1') ctx.fail('Vanished', { orderId: input.id });
    // @ts-expect-error no such failure is declared
    return ctx.fail('Locked', { id: input.id });
  }

  @Capability.external({ ...base, inputSchema: find })
  @Capability({ ...read, inputSchema: find })
  twoAudiences(input: { id: string }) {
    return input.id;
  }

  @Capability.read({ ...base, outputSchema: z.void() })
  nothing(): void {}

  @Capability({ ...base, annotations: { readOnly: true, destructive: false } })
  shortForm() {
    return 1;
  }
}

const contract = defineContract({
  name: 'orders.find',
  description: 'Find one order.',
  access: 'read',
  inputSchema: find,
  outputSchema: order,
});

export class ServesContract {
  @Capability(contract)
  find(input: { id: string; limit: number }) {
    return { id: input.id, total: '1' };
  }

  @Capability(contract, { permission: 'orders:read', expose: ['mcp'], timeoutMs: 1_000 })
  bound(input: { id: string }) {
    return Promise.resolve({ id: input.id, total: '1' });
  }

  // @ts-expect-error the parameter does not accept what the contract's input produces
  @Capability(contract)
  wrongParameter(input: { id: number }) {
    return { id: String(input.id), total: '1' };
  }

  // @ts-expect-error the return value does not fit the contract's output
  @Capability(contract)
  wrongReturn(input: { id: string }) {
    return { id: input.id };
  }
}

export class Mismatches {
  // @ts-expect-error the parameter does not accept what the schema produces
  @Capability({ ...read, inputSchema: find })
  wrongParameter(input: { id: number }) {
    return input.id;
  }

  // @ts-expect-error the return value lacks a field
  @Capability({ ...read, inputSchema: find, outputSchema: order })
  wrongReturn(input: { id: string }) {
    return { id: input.id };
  }

  // @ts-expect-error a promise of the wrong value
  @Capability.read({ ...base, outputSchema: order })
  async wrongPromise() {
    return { id: '1', total: 1 };
  }

  // @ts-expect-error the DTO instance does not fit the parameter
  @Capability.read({ ...base, inputSchema: FindDto })
  wrongDto(input: { id: string; more: number }) {
    return input;
  }

  // @ts-expect-error the method returns less than the DTO holds
  @Capability.read({ ...base, outputSchema: OrderDto })
  wrongDtoReturn() {
    return { id: '1' };
  }

  // @ts-expect-error the tuple's second item is a number
  @Capability.write({ ...base, inputSchema: find, args: (input) => [input.id, input.limit] })
  wrongTuple(id: string, limit: string) {
    return [id, limit];
  }

  // @ts-expect-error the tuple is too short
  @Capability.write({ ...base, inputSchema: find, args: (input) => [input.id] })
  shortTuple(id: string, limit: number) {
    return [id, limit];
  }

  // @ts-expect-error the tuple is too long
  @Capability.write({ ...base, inputSchema: find, args: (input) => [input.id, input.limit] })
  longTuple(id: string) {
    return id;
  }

  // @ts-expect-error the second parameter is not the context
  @Capability.read({ ...base, inputSchema: find })
  wrongContext(input: { id: string }, limit: number) {
    return [input, limit];
  }

  // @ts-expect-error three parameters need args
  @Capability.read({ ...base, inputSchema: find })
  tooMany(input: { id: string }, ctx: HandlerContext, more: unknown) {
    return [input, ctx, more];
  }
}

// @ts-expect-error the description is required
Capability({ sideEffect: 'read' });

// @ts-expect-error no such surface
Capability({ ...read, expose: ['soap'] });

// @ts-expect-error a misspelt option
Capability({ ...read, inputShema: find });

// @ts-expect-error the short form fixes the side effect
Capability.read({ ...base, sideEffect: 'write' });

// @ts-expect-error no such field of the host
CapabilityHost({ nameSpace: 'orders' });

Capability.read({
  ...base,
  inputSchema: find,
  describe: (input) => ({
    verb: 'find',
    // @ts-expect-error the input has no such field
    target: { product: 'shop', kind: 'order', id: input.orderId },
    arguments: {},
    reversible: true,
  }),
});
