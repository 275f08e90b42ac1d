import 'reflect-metadata';
import { Injectable } from '@nestjs/common';
import { ApiProperty, DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Type } from 'class-transformer';
import { IsArray, IsDate, IsEnum, IsInt, IsOptional, ValidateNested } from 'class-validator';
import { Capability, CapabilityHost } from 'nest-capabilities';
import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { startRestApp } from '../rest/rest-app.js';

enum Level {
  Low = 'low',
  High = 'high',
}
class Leaf {
  @IsEnum(Level, { each: true })
  @ApiProperty({ enum: Level, isArray: true })
  levels!: Level[];

  @IsOptional()
  @ValidateNested({ each: true })
  @Type(() => Leaf)
  @IsArray()
  more?: Leaf[];
}
class Box<T> {
  @ValidateNested()
  @Type(() => Leaf)
  content!: T;

  @IsDate()
  @Type(() => Date)
  at!: Date;
}
class LeafBox extends Box<Leaf> {
  @IsInt()
  size!: number;
}
const odd = z.object({ n: z.number() }).meta({ id: 'Odd Name/1~2' });
const status = z.enum(['on', 'off']).meta({ id: 'Status 100%' });
const other = z.object({ n: z.string() }).meta({ id: 'Leaf' });
class ZodDto extends createZodDto(z.object({ odd, list: z.array(status) })) {}
interface Tree {
  v: string;
  kids: Tree[];
}
const tree: z.ZodType<Tree> = z.lazy(() => z.object({ v: z.string(), kids: z.array(tree) }));
const even: z.ZodType = z.object({
  get next() {
    return uneven.optional();
  },
});
const uneven: z.ZodType = z.object({
  get next() {
    return even.optional();
  },
});

const free = { permission: null, risk: 'low', expose: ['rest'] } as const;

@Injectable()
@CapabilityHost({ namespace: 'o' })
class Odd {
  @Capability.write({ ...free, description: 'd', inputSchema: LeafBox, outputSchema: LeafBox })
  dto(input: LeafBox): LeafBox {
    return input;
  }
  @Capability.write({ ...free, description: 'd', inputSchema: ZodDto, outputSchema: ZodDto })
  zodDto(input: ZodDto): ZodDto {
    return input;
  }
  @Capability.write({ ...free, description: 'd', inputSchema: z.object({ tree }), outputSchema: tree })
  recursive(input: { tree: Tree }): Tree {
    return input.tree;
  }
  @Capability.write({ ...free, description: 'd', inputSchema: z.object({ even }), outputSchema: z.void() })
  mutual(): void {}
  @Capability.write({
    ...free,
    description: 'd',
    inputSchema: z.object({
      pair: z.tuple([z.string(), z.number()]).rest(z.boolean()),
      empty: z.tuple([]),
      record: z.record(z.enum(['a', 'b']), odd),
      partial: z.partialRecord(z.enum(['a', 'b']), z.number()),
      when: z.date().nullish(),
      big: z.bigint().optional(),
      any: z.any(),
      unknown: z.unknown(),
      nothing: z.null(),
      never: z.never().optional(),
      def: z.string().default('x'),
      pre: z.string().prefault('x'),
      caught: z.number().catch(1),
      lit: z.literal(['a', 1, null, true]),
      template: z.templateLiteral(['id-', z.number()]),
      email: z.email(),
      json: z.json(),
      int: z.int32().multipleOf(5),
      nan: z.number().min(1).max(2).nullable(),
      branded: z.string().brand('B'),
      read: z.string().readonly(),
      pipe: z.string().pipe(z.string().min(1)),
      union: z.union([z.string(), z.number(), z.null(), z.object({ a: odd })]),
      disc: z.discriminatedUnion('t', [
        z.object({ t: z.literal('a'), odd }),
        z.object({ t: z.literal('b'), status }),
      ]),
      inter: z.intersection(z.object({ a: z.string() }), z.object({ b: other })),
      loose: z.looseObject({ a: z.string() }),
      set: z.array(z.string()).min(1).max(2),
    }),
    outputSchema: z.object({ any: z.any(), big: z.bigint(), when: z.date(), odd: odd.nullable() }),
  })
  all(): never {
    throw new Error();
  }
  @Capability.read({
    ...free,
    description: 'd',
    http: { method: 'GET', path: '/o/:status/q' },
    inputSchema: z.object({
      status,
      also: status.optional(),
      many: z.array(status).optional(),
      from: z.coerce.date().optional(),
      n: z.union([z.number(), z.null()]).optional(),
    }),
    outputSchema: z.tuple([odd, status]),
  })
  query(): never {
    throw new Error();
  }
  @Capability.write({
    ...free,
    description: 'd',
    http: { method: 'PUT', path: '/o/:id/x' },
    inputSchema: z.union([z.object({ id: z.string(), odd }), z.object({ id: z.string(), status: status })]),
    outputSchema: z.union([z.void(), z.string()]),
  })
  put(): void {}
  @Capability.write({ ...free, description: 'd', inputSchema: odd, outputSchema: status })
  named(): 'on' {
    return 'on';
  }
  @Capability.write({ ...free, description: 'd', inputSchema: z.record(z.string(), odd) })
  records(): unknown {
    return null;
  }
  @Capability.write({ ...free, description: 'd', inputSchema: z.looseObject({}), outputSchema: z.null() })
  nil(): null {
    return null;
  }
}

const refsOf = (value: unknown): string[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([key, each]) =>
        key === '$ref' && typeof each === 'string' ? [each] : refsOf(each),
      );

describe('the document of odd schemas', () => {
  let document: OpenAPIObject;
  beforeAll(async () => {
    const rest = await startRestApp('express', { providers: [Odd] });
    document = SwaggerModule.createDocument(rest.app, new DocumentBuilder().addBearerAuth().build());
    await rest.close();
  });

  it('is valid', async () => {
    const result = await new Validator().validate(
      JSON.parse(JSON.stringify(document)) as Record<string, unknown>,
    );
    expect(result).toEqual({ valid: true });
  });
  it('resolves every reference, and hides no definition in a schema', () => {
    const names = new Set(Object.keys(document.components!.schemas!));
    const dangling = refsOf(document).filter((ref) => !names.has(ref.replace('#/components/schemas/', '')));
    expect(dangling).toEqual([]);
    expect(JSON.stringify(document)).not.toContain('$defs');
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9._-]+$/);
  });
  it('gives every operation an id of its own', () => {
    const ids = Object.values(document.paths).flatMap((path) =>
      Object.values(path as Record<string, { operationId?: string }>).map((each) => each.operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).not.toContain(undefined);
  });
});
