import 'reflect-metadata';
import { Injectable } from '@nestjs/common';
import { Capability, CapabilityHost } from 'nest-capabilities';
import { z } from 'zod';
import { BASE, boot, closeApps, execute, resultOf } from '../nest/support.js';

afterEach(closeApps);

type Expression = { op: string; arg?: Expression; at?: Date };
const expression: z.ZodType<Expression> = z.lazy(() =>
  z.discriminatedUnion('op', [
    z.object({ arg: expression, op: z.literal('and') }),
    z.object({ arg: expression, op: z.literal('or') }),
    z.object({ arg: expression, op: z.literal('not') }),
    z.object({ op: z.literal('before'), at: z.date() }),
  ]),
);

@Injectable()
@CapabilityHost({ namespace: 'n' })
class Nested {
  @Capability({ ...BASE, inputSchema: z.object({ where: expression }) })
  find(input: { where: Expression }): boolean {
    let at: Expression | undefined = input.where;
    while (at?.arg !== undefined) at = at.arg;
    return at?.at instanceof Date;
  }
}

/** The member that tells branches apart comes last, where it costs most to read. */
const nested = (depth: number, innermost: object, op: (level: number) => string): unknown => {
  let value: unknown = innermost;
  for (let level = 0; level < depth; level++) value = { arg: value, op: op(level) };
  return { where: value };
};
const ops = ['and', 'or', 'not'];

describe('recursive unions with dates in them', () => {
  it('are decoded in time that grows with their size, not with what their branches could be', async () => {
    const app = await boot({ providers: [Nested] });
    const leaf = { op: 'before', at: '2024-01-01T00:00:00Z' };
    const good = await execute(
      app,
      'n.find',
      { surface: 'mcp' },
      nested(50, leaf, (level) => ops[level % 3]!),
    );
    expect(good).toMatchObject({ status: 'completed', output: true });
    for (const input of [
      nested(50, leaf, () => 'nope'),
      nested(50, { op: 'before', at: 'never' }, (level) => ops[level % 3]!),
    ])
      expect(resultOf(await execute(app, 'n.find', { surface: 'mcp' }, input))).toBe('INPUT_INVALID');
  }, 30_000);
});
