import 'reflect-metadata';
import { Injectable } from '@nestjs/common';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  Length,
  Matches,
  Max,
  MinLength,
  ValidateNested,
} from 'class-validator';
import {
  Capability,
  CapabilityHost,
  type CapabilityPolicyRule,
  type Outcome,
  type PrincipalInput,
} from 'nest-capabilities';
import { z } from 'zod';
import { BASE, boot, closeApps, execute, reader, resultOf } from '../nest/support.js';

afterEach(closeApps);

class Card {
  @Matches(/^\d+$/, { message: 'bad pin $value' })
  pin!: string;
}
class Base {
  @IsIn(['card', 'cash'])
  kind!: string;
}
class CardPay extends Base {
  @Length(4, 4, { message: 'pin $value is wrong' })
  pin!: string;

  @ValidateNested()
  @Type(() => Card)
  card!: Card;
}
class CashPay extends Base {
  @IsInt({ message: (args) => `got ${String(args.value)}` })
  amount!: number;
}
class PayDto {
  @ValidateNested()
  @Type(() => Base, {
    discriminator: {
      property: 'kind',
      subTypes: [
        { value: CardPay, name: 'card' },
        { value: CashPay, name: 'cash' },
      ],
    },
    keepDiscriminatorProperty: true,
  })
  pay!: CardPay | CashPay;

  @IsOptional()
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => Card)
  cards?: Card[];

  @IsOptional()
  @IsString({ each: true, message: 'no $value here' })
  @MinLength(3, { each: true, message: 'short: $value' })
  @ArrayMaxSize(3)
  words?: string[];

  @IsOptional()
  @IsObject()
  meta?: object;

  @IsOptional()
  @Max(5, { message: '$value over $constraint1' })
  level?: number;
}

const tree: z.ZodType = z.lazy(() =>
  z.object({ name: z.string(), children: z.array(tree).optional() }),
) as never;

let ran: unknown[] = [];

@Injectable()
@CapabilityHost({ namespace: 's' })
class Schemas {
  @Capability({ ...BASE, inputSchema: PayDto })
  pay(input: PayDto): string {
    ran.push(input);
    return 'ok';
  }

  @Capability({
    ...BASE,
    inputSchema: z.object({
      a: z.union([z.object({ x: z.string() }), z.object({ y: z.number() })]).optional(),
      both: z.intersection(z.object({ p: z.string() }), z.object({ q: z.string() })).optional(),
      rec: z.record(z.string(), z.object({ v: z.number() })).optional(),
      list: z.array(z.object({ k: z.string() })).optional(),
      pair: z.tuple([z.object({ l: z.string() }), z.number()]).optional(),
      when: z.date().optional(),
      any: z.unknown().optional(),
      map: z.record(z.enum(['u', 'w']), z.number()).optional(),
    }),
  })
  wide(input: object): string {
    ran.push(input);
    return 'ok';
  }

  @Capability({ ...BASE, inputSchema: z.object({ root: tree }) })
  tree(input: object): string {
    ran.push(input);
    return 'ok';
  }

  @Capability({ ...BASE, inputSchema: z.looseObject({ limit: z.number() }), constraints: ['limit'] })
  spend(input: { limit: number }): number {
    ran.push(input);
    return input.limit;
  }

  @Capability({
    ...BASE,
    inputSchema: z.object({ link: z.string().transform((text) => new URL(text)) }),
  })
  follow(input: { link: URL }): string {
    return input.link.host;
  }
}

const start = (options: Parameters<typeof boot>[1] = {}) => boot({ providers: [Schemas] }, options);
const fieldOf = (outcome: Outcome): string | undefined =>
  outcome.status === 'failed' ? outcome.error.details.field : outcome.status;
const textOf = (outcome: Outcome): string =>
  outcome.status === 'failed' ? JSON.stringify([outcome.error.message, outcome.error.details]) : '';

beforeEach(() => {
  ran = [];
});

describe('unknown keys', () => {
  const own = (text: string): unknown => JSON.parse(text);
  it.each<[unknown, string]>([
    [{ a: { x: 's', z: 1 } }, 'a.z'],
    [{ a: { x: 's', y: 'n', extra: 1 } }, 'a.extra'],
    [{ both: { p: 's', q: 's', r: 1 } }, 'both.r'],
    [{ rec: { any: { v: 1, w: 2 } } }, 'rec.any.w'],
    [{ list: [{ k: 's' }, { k: 's', j: 1 }] }, 'list.1.j'],
    [{ pair: [{ l: 's', m: 1 }, 1] }, 'pair.0.m'],
    [own('{"__proto__":{"x":1}}'), '__proto__'],
    [own('{"a":{"x":"s","__proto__":1}}'), 'a.__proto__'],
    [own('{"list":[{"k":"s","constructor":{}}]}'), 'list.0.constructor'],
    [own('{"hasOwnProperty":1}'), 'hasOwnProperty'],
  ])('refuses %j at %s on direct and on a wire surface', async (input, field) => {
    const app = await start();
    for (const surface of ['direct', 'mcp'] as const)
      expect(fieldOf(await execute(app, 's.wide', { surface }, input))).toBe(field);
    expect(ran).toEqual([]);
  });
  it.each<[unknown, string]>([
    [{ pay: { kind: 'cash', amount: 1, z: 1 } }, 'pay.z'],
    [{ pay: { kind: 'card', pin: '1234', card: { pin: '1', x: 1 } } }, 'pay.card.x'],
    [{ pay: { kind: 'cash', amount: 1 }, cards: [{ pin: '1', y: 1 }] }, 'cards.0.y'],
    [own('{"pay":{"kind":"cash","amount":1,"__proto__":{}}}'), 'pay.__proto__'],
    [own('{"pay":{"kind":"cash","amount":1,"constructor":{}}}'), 'pay.constructor'],
  ])('refuses %j at %s of a DTO', async (input, field) => {
    const app = await start();
    expect(fieldOf(await execute(app, 's.pay', {}, input))).toBe(field);
  });
  it('takes what is known', async () => {
    const app = await start();
    const inputs = [
      { a: { x: 's' } },
      { a: { y: 1 } },
      { both: { p: 's', q: 's' } },
      { rec: { x: { v: 1 } } },
      { pair: [{ l: 's' }, 1] },
      { any: { deep: { er: 1 } } },
      { map: { u: 1, w: 2 } },
    ];
    for (const input of inputs) expect(resultOf(await execute(app, 's.wide', {}, input))).toBe('completed');
    expect(ran).toEqual(inputs);
  });
  it('refuses what is no plain value where an object belongs', async () => {
    const app = await start();
    for (const input of [new Map([['a', 1]]), new Set(['s3cret']), [], 'x', 1, null, true, () => 1]) {
      expect(resultOf(await execute(app, 's.wide', {}, input))).toBe('INPUT_INVALID');
      expect(resultOf(await execute(app, 's.pay', {}, input))).toBe('INPUT_INVALID');
    }
    expect(ran).toEqual([]);
  });
  it('answers a cyclic and a very deep value', async () => {
    const app = await start();
    const cyclic: { name: string; children: unknown[] } = { name: 'n', children: [] };
    cyclic.children.push(cyclic);
    expect(resultOf(await execute(app, 's.tree', {}, { root: cyclic }))).toBe('INPUT_INVALID');
    let deep: unknown = { name: 'leaf' };
    for (let index = 0; index < 3000; index++) deep = { name: 'n', children: [deep] };
    const outcome = await execute(app, 's.tree', {}, { root: deep });
    expect(resultOf(outcome)).toBe('INPUT_INVALID');
    expect(textOf(outcome).length).toBeLessThan(10_000);
  });
});

describe('what a caller sent does not come back', () => {
  it.each<[unknown, string]>([
    [{ pay: { kind: 'card', pin: 'S3', card: { pin: '1' } } }, 'S3'],
    [{ pay: { kind: 'card', pin: '1234', card: { pin: 'x7' } } }, 'x7'],
    [{ pay: { kind: 'cash', amount: 1 }, cards: [{ pin: 'q9' }] }, 'q9'],
    [{ pay: { kind: 'cash', amount: 1 }, words: ['ok!', 'h5'] }, 'h5'],
    [{ pay: { kind: 'cash', amount: 1 }, words: ['ok!', 77] }, '77'],
    [{ pay: { kind: 'cash', amount: 1 }, level: 93 }, '93'],
    [{ pay: { kind: 'cash', amount: 'top-secret' } }, 'top-secret'],
  ])('%j', async (input, secret) => {
    const outcome = await execute(await start(), 's.pay', {}, input);
    expect(resultOf(outcome)).toBe('INPUT_INVALID');
    expect(textOf(outcome)).not.toContain(secret);
  });
});

describe('constrained fields', () => {
  const granted = (constraint: unknown): PrincipalInput => ({
    ...reader,
    grants: { 's.spend': { constraints: { limit: constraint } } },
  });
  it.each<[unknown, unknown, string]>([
    [{ max: 5 }, { limit: 5 }, 'completed'],
    [{ max: 5 }, { limit: 6 }, 'CONSTRAINT_VIOLATED'],
    [{ max: 5 }, Object.create({ limit: 1 }), 'CONSTRAINT_VIOLATED'],
    [{ min: 0 }, { limit: -0 }, 'completed'],
    [{ eq: 0 }, { limit: -0 }, 'completed'],
    [{ max: 5 }, { limit: Number.NaN }, 'INPUT_INVALID'],
    [{}, { limit: 1 }, 'CONSTRAINT_VIOLATED'],
    [{ maximum: 5 }, { limit: 1 }, 'CONSTRAINT_VIOLATED'],
    [undefined, { limit: 1 }, 'CONSTRAINT_VIOLATED'],
    [null, { limit: 1 }, 'CONSTRAINT_VIOLATED'],
    [{ in: [] }, { limit: 1 }, 'CONSTRAINT_VIOLATED'],
  ])('%j on %j: %s', async (constraint, input, expected) => {
    expect(resultOf(await execute(await start(), 's.spend', { principal: granted(constraint) }, input))).toBe(
      expected,
    );
  });
  it('reads a getter that changes its mind as outside the grant', async () => {
    let reads = 0;
    const input = {
      get limit() {
        reads += 1;
        return reads === 1 ? 1 : 1000;
      },
    };
    const outcome = await execute(await start(), 's.spend', { principal: granted({ max: 5 }) }, input);
    expect(resultOf(outcome)).toBe('CONSTRAINT_VIOLATED');
    expect(ran).toEqual([]);
  });
});

describe('what observers see', () => {
  it('is usable where parsing made a built-in object', async () => {
    let host: string | undefined;
    const looks: CapabilityPolicyRule = {
      name: 'looks',
      phase: 'invocation',
      evaluate: ({ input }) => {
        host = (input as { link: URL }).link.host;
        return { effect: 'allow' };
      },
    };
    const app = await start({ policies: [{ useValue: looks }] as never });
    const outcome = await execute(app, 's.follow', {}, { link: 'https://a.example/x' });
    expect([resultOf(outcome), host]).toEqual(['completed', 'a.example']);
  });
});
