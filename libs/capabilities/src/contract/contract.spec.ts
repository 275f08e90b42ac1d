import { z } from 'zod';
import {
  CapabilityEncodingFailed,
  CapabilityFailed,
  CapabilityFailure,
  CapabilityInputInvalid,
  type CallDescription,
  ContractNameInvalid,
  contractOptions,
  defineContract,
  describeCall,
  implement,
  inputJsonSchema,
  invoke,
  isContract,
  isImplementedContract,
  type ObjectRef,
} from './index.js';

const order: ObjectRef = { product: 'shop', kind: 'order', id: '7' };

const findOrder = defineContract({
  name: 'find_order',
  description: 'Find one order.',
  access: 'read',
  inputSchema: z.object({ id: z.string().describe('Order number.'), since: z.date().optional() }),
  outputSchema: z.object({ id: z.string(), placedAt: z.date() }),
  failures: {
    OrderMissing: {
      schema: z.object({ id: z.string(), message: z.string().max(40) }),
      fix: 'List the orders first.',
    },
  },
});
const placedAt = new Date('2026-01-02T03:04:05.000Z');
const found = { id: '7', placedAt };

const cancelOrder = defineContract({
  name: 'orders.cancel',
  description: 'Cancel an order.',
  access: 'write',
  reversible: false,
  inputSchema: z.object({ id: z.string().trim(), on: z.date() }),
  outputSchema: z.object({ id: z.string() }),
  describe: ({ id, on }) => ({
    verb: 'cancel',
    target: { product: 'shop', kind: 'order', id },
    arguments: { year: on.getUTCFullYear() },
  }),
});

const caught = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'nothing was thrown',
    (error: unknown) => error,
  );

/** The gated contract, describing itself in another way. */
const describing = (describe: () => unknown) =>
  defineContract({ ...cancelOrder, describe: describe as () => CallDescription });

describe('defineContract', () => {
  it.each(['find_order', 'orders.find', 'a', 'A-1_b', 'a'.repeat(64)])('accepts the name %s', (name) => {
    expect(defineContract({ ...findOrder, name })).toMatchObject({ name });
  });

  it.each(['', 'find order', 'orders/find', 'orders..find', 'ä', 'a'.repeat(65), '__proto__'])(
    'refuses the name %p at definition',
    (name) => {
      expect(() => defineContract({ ...findOrder, name })).toThrow(ContractNameInvalid);
    },
  );

  it('returns frozen data that is recognised as a contract', () => {
    expect(isContract(findOrder)).toBe(true);
    expect(isContract({ ...findOrder })).toBe(false);
    expect(Object.isFrozen(findOrder)).toBe(true);
    expect(isImplementedContract(implement(findOrder, () => found))).toBe(true);
    expect(isImplementedContract(findOrder)).toBe(false);
  });

  it('lets only gated contracts describe, and makes them', () => {
    const { describe: _describe, ...undescribed } = cancelOrder;
    // @ts-expect-error a gated contract describes its calls
    expect(isContract(defineContract(undescribed))).toBe(true);
    // @ts-expect-error a read contract has nothing to describe
    expect(isContract(defineContract({ ...findOrder, describe: cancelOrder.describe }))).toBe(true);
    // @ts-expect-error calls of a read contract cannot be described
    expect(() => describeCall(findOrder, {})).toBeInstanceOf(Function);
  });
});

describe('invoke', () => {
  it('decodes, runs and encodes; cites nothing by default', async () => {
    const seen: unknown[] = [];
    const capability = implement(findOrder, (input) => {
      seen.push(input);
      return { ...found, secret: 'stripped' };
    });
    const result = await invoke(capability, { id: '7', since: '2025-12-31T00:00:00Z' });
    expect(seen).toEqual([{ id: '7', since: new Date('2025-12-31T00:00:00Z') }]);
    expect(result).toEqual({ output: { id: '7', placedAt: '2026-01-02T03:04:05.000Z' }, cites: [] });
  });

  it('cites what the contract says about the parsed output', async () => {
    const contract = defineContract({
      ...findOrder,
      cites: (output) => [{ ...order, id: output.id, title: 'dropped' } as ObjectRef],
    });
    expect(
      (
        await invoke(
          implement(contract, () => found),
          { id: '7' },
        )
      ).cites,
    ).toEqual([order]);
  });

  it.each([
    ['a wrong type', { id: 7 }, 'id'],
    ['a missing field', {}, 'id'],
    ['no arguments', undefined, 'id'],
    ['an unknown key', { id: '7', role: 'admin' }, 'role'],
    ['no object', 'seven', 'object'],
    ['null', null, 'object'],
  ])('refuses %s before the handler', async (_title, args, named) => {
    let runs = 0;
    const capability = implement(findOrder, () => {
      runs += 1;
      return found;
    });
    const error = await caught(invoke(capability, args));
    expect(error).toBeInstanceOf(CapabilityInputInvalid);
    expect(error).toMatchObject({
      name: 'CapabilityInputInvalid',
      capability: 'find_order',
      issue: expect.stringContaining(named),
    });
    expect(runs).toBe(0);
  });

  it('hands over a declared failure with its reason, its fix and its declared fields only', async () => {
    const capability = implement(findOrder, ({ id }, call) =>
      call.fail('OrderMissing', Object.assign({ id, message: 'There is no such order.' }, { secret: 'x' })),
    );
    const error = await caught(invoke(capability, { id: '7' }));
    expect(error).toBeInstanceOf(CapabilityFailed);
    expect(error).toMatchObject({
      capability: 'find_order',
      tag: 'OrderMissing',
      reason: 'There is no such order.',
      fix: 'List the orders first.',
      failure: { id: '7', message: 'There is no such order.' },
    });
    expect((error as CapabilityFailed).failure).not.toHaveProperty('secret');
    expect((error as Error).message).toBe('There is no such order. — List the orders first.');
  });

  it('lets the compiler refuse failures that are not declared', async () => {
    const capability = implement(findOrder, ({ id }, call) => {
      // @ts-expect-error the failure needs its fields in their types
      if (id === '') return call.fail('OrderMissing', { id: 7, message: 'Gone.' });
      // @ts-expect-error no such failure is declared
      return call.fail('OrderLocked', { id });
    });
    expect(await caught(invoke(capability, { id: '7' }))).toBeInstanceOf(CapabilityFailure);
  });

  it.each([
    ['a plain object', { _tag: 'OrderMissing', id: '7', message: 'Gone.', fix: 'Try the archive.' }],
    [
      'an error',
      Object.assign(new Error('Gone.'), { _tag: 'OrderMissing', id: '7', fix: 'Try the archive.' }),
    ],
  ])('accepts %s that is tagged, with its own fix', async (_title, thrown) => {
    const capability = implement(findOrder, () => {
      throw thrown;
    });
    expect(await caught(invoke(capability, { id: '7' }))).toMatchObject({
      tag: 'OrderMissing',
      reason: 'Gone.',
      fix: 'Try the archive.',
      failure: { id: '7', message: 'Gone.' },
    });
  });

  it.each([
    ['an undeclared error', new Error('pg: secret_table')],
    ['an undeclared tag', new CapabilityFailure('OrderLocked', { id: '7', message: 'Locked.' })],
    ['an undeclared tagged object', { _tag: 'OrderLocked', message: 'Locked.', fix: 'Wait.' }],
    ['a declared failure that lacks a field', new CapabilityFailure('OrderMissing', { message: 'Gone.' })],
    [
      'a declared failure that breaks a check',
      new CapabilityFailure('OrderMissing', { id: '7', message: 'x'.repeat(41) }),
    ],
  ])('leaves %s a defect with its original value', async (_title, thrown) => {
    const capability = implement(findOrder, () => {
      throw thrown;
    });
    expect(await caught(invoke(capability, { id: '7' }))).toBe(thrown);
  });

  it('reports an output that the contract cannot carry as a bug of the capability, without its value', async () => {
    const capability = implement(findOrder, () => ({ id: '7', placedAt: 'secret-value' }) as never);
    const error = await caught(invoke(capability, { id: '7' }));
    expect(error).toBeInstanceOf(CapabilityEncodingFailed);
    expect(error).toMatchObject({ capability: 'find_order', issue: expect.stringContaining('placedAt') });
    expect(String(error)).not.toContain('secret-value');
  });

  it('reports an output that JSON cannot carry', async () => {
    const contract = defineContract({
      ...findOrder,
      outputSchema: z.object({ tags: z.any() }),
      cites: undefined,
    });
    const error = await caught(
      invoke(
        implement(contract, () => ({ tags: new Set(['a']) })),
        { id: '7' },
      ),
    );
    expect(error).toMatchObject({ name: 'CapabilityEncodingFailed', issue: expect.stringContaining('tags') });
  });

  it.each([
    ['an empty part', [{ ...order, id: '' }]],
    ['an untrimmed part', [{ ...order, kind: ' order' }]],
    ['a part of 201 characters', [{ ...order, product: 'p'.repeat(201) }]],
    ['no array', order],
  ])('refuses citations with %s', async (_title, cites) => {
    const contract = defineContract({ ...findOrder, cites: () => cites as ObjectRef[] });
    expect(
      await caught(
        invoke(
          implement(contract, () => found),
          { id: '7' },
        ),
      ),
    ).toBeInstanceOf(CapabilityEncodingFailed);
  });

  it('asks nobody: gating is the job of the surface', async () => {
    const capability = implement(cancelOrder, ({ id }) => ({ id }));
    expect(await invoke(capability, { id: ' 7 ', on: '2026-01-01T00:00:00Z' })).toEqual({
      output: { id: '7' },
      cites: [],
    });
  });
});

describe('describeCall', () => {
  const args = { id: ' 7 ', on: '2026-01-01T00:00:00Z' };

  it('decodes the arguments, then describes exactly what will happen', async () => {
    expect(await describeCall(cancelOrder, args)).toEqual({
      verb: 'cancel',
      target: order,
      arguments: { year: 2026 },
      reversible: false,
    });
  });

  it('refuses arguments that do not fit and describes nothing', async () => {
    const error = await caught(
      describeCall(
        describing(() => {
          throw new Error('described');
        }),
        { id: '7', on: 'soon' },
      ),
    );
    expect(error).toMatchObject({ name: 'CapabilityInputInvalid', issue: expect.stringContaining('on') });
  });

  it.each([
    ['an empty verb', { verb: '', target: order, arguments: {} }],
    ['an empty reference', { verb: 'cancel', target: { ...order, id: '' }, arguments: {} }],
    ['NaN among the arguments', { verb: 'cancel', target: order, arguments: { amount: Number.NaN } }],
    ['a date among the arguments', { verb: 'cancel', target: order, arguments: { at: placedAt } }],
    ['no arguments', { verb: 'cancel', target: order }],
    ['nothing', undefined],
  ])('refuses an action with %s', async (_title, action) => {
    expect(
      await caught(
        describeCall(
          describing(() => action),
          args,
        ),
      ),
    ).toBeInstanceOf(CapabilityEncodingFailed);
  });
});

describe('inputJsonSchema', () => {
  it('names fields and says which are required; definitions only when there are some', () => {
    const schema = inputJsonSchema(findOrder);
    expect(schema).toMatchObject({ type: 'object', required: ['id'], additionalProperties: false });
    expect(schema['properties']).toMatchObject({
      id: { type: 'string', description: 'Order number.' },
      since: { format: 'date-time' },
    });
    expect(schema).not.toHaveProperty('$defs');
  });

  it('puts named parts under $defs', () => {
    const line = z.object({ sku: z.string() }).meta({ id: 'OrderLine' });
    const contract = defineContract({ ...findOrder, inputSchema: z.object({ first: line, second: line }) });
    expect(inputJsonSchema(contract)['$defs']).toMatchObject({ OrderLine: { type: 'object' } });
  });
});

describe('contractOptions', () => {
  it('maps access to side effect and to who decides', () => {
    expect(contractOptions(findOrder)).toMatchObject({ sideEffect: 'read' });
    expect(contractOptions(findOrder)).not.toHaveProperty('approval');
    expect(contractOptions(cancelOrder)).toMatchObject({
      sideEffect: 'write',
      approval: { by: 'principal' },
      reversible: false,
    });
    expect(contractOptions(defineContract({ ...cancelOrder, access: 'host' }))).toMatchObject({
      approval: { by: 'host', required: true },
    });
  });

  it('describes with the contract and its reversibility', () => {
    const action = contractOptions(cancelOrder).describe?.({ id: '7', on: placedAt });
    expect(action).toEqual({ verb: 'cancel', target: order, arguments: { year: 2026 }, reversible: false });
  });
});
