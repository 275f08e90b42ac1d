import 'reflect-metadata';
import { ApiProperty } from '@nestjs/swagger';
import { Exclude, Expose, Transform, Type } from 'class-transformer';
import {
  Allow,
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsDate,
  IsEnum,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsOptional,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  registerDecorator,
  Validate,
  ValidateIf,
  ValidateNested,
  ValidatorConstraint,
} from 'class-validator';
import type { ParseResult } from '../compiled-schema.js';
import type { DtoClass } from '../standard-schema.js';
import { DtoAdapter } from './dto-adapter.js';
import { SchemaCompiler } from './schema-compiler.js';
import { SchemaConversionError } from './schema-conversion-error.js';

const compiler = new SchemaCompiler([new DtoAdapter()]);
const input = (dto: DtoClass, unknownKeys: 'refuse' | 'ignore' = 'refuse') =>
  compiler.compileInput(dto, { unknownKeys });
const issuesOf = async (result: ParseResult | Promise<ParseResult>) => {
  const settled = await result;
  return settled.ok ? [] : settled.issues;
};
const valueOf = async (result: ParseResult | Promise<ParseResult>) => {
  const settled = await result;
  if (!settled.ok) throw new Error(JSON.stringify(settled.issues));
  return settled.value;
};

enum Color {
  Red = 'red',
  Blue = 'blue',
}
enum Level {
  Low,
  High,
}

class Address {
  @IsString() @MaxLength(20) street!: string;
  @IsOptional() @IsInt() number?: number;
}

class OrderDto {
  @ApiProperty({ description: 'Order id.', example: 'o-1' }) @IsString() @IsNotEmpty() id!: string;
  @IsInt() @Min(1) @Max(9) quantity: number = 1;
  @IsEnum(Color) color!: Color;
  @IsOptional() @IsEnum(Level) level?: Level;
  @IsString({ each: true }) @ArrayMaxSize(3) tags!: string[];
  @ValidateNested() @Type(() => Address) address!: Address;
  @ValidateNested({ each: true }) @Type(() => Address) @IsArray() others!: Address[];
  @IsDate() @Type(() => Date) at!: Date;
  @IsOptional() @Matches(/^[a-z]+$/) code?: string;
  internal?: string;
}

const valid = () => ({
  id: 'o-1',
  color: 'red',
  tags: ['a'],
  address: { street: 'x' },
  others: [{ street: 'y', number: 1 }],
  at: '2026-01-02T03:04:05Z',
});

describe('a class-validator DTO as input', () => {
  const compiled = input(OrderDto);

  it('is converted from its decorators; a property without one is not input', () => {
    expect(compiled.kind).toBe('dto');
    expect(compiled.portable).toEqual({
      type: 'object',
      properties: {
        id: { type: 'string', minLength: 1, description: 'Order id.', examples: ['o-1'] },
        quantity: { type: 'integer', minimum: 1, maximum: 9, default: 1 },
        color: { enum: ['red', 'blue'] },
        level: { enum: [0, 1] },
        tags: { type: 'array', items: { type: 'string' }, maxItems: 3 },
        address: address(),
        others: { type: 'array', items: address() },
        at: { type: 'string', format: 'date-time' },
        code: { type: 'string', pattern: '^[a-z]+$' },
      },
      required: expect.arrayContaining(['id', 'color', 'tags', 'others', 'at']),
      additionalProperties: false,
    });
    expect([...compiled.required].sort()).toEqual(['at', 'color', 'id', 'others', 'tags']);
    expect(Object.keys(compiled.named).sort()).toEqual(['Address', 'OrderDto']);
    expect(compiled.unknownKey({ ...valid(), internal: 'x' })).toEqual(['internal']);
    expect(compiled.unknownKey({ ...valid(), others: [{ street: '', zip: 1 }] })).toEqual([
      'others',
      0,
      'zip',
    ]);
  });

  function address() {
    return {
      type: 'object',
      properties: { street: { type: 'string', maxLength: 20 }, number: { type: 'integer' } },
      required: ['street'],
      additionalProperties: false,
    };
  }

  it('parses to instances with defaults', async () => {
    const value = (await valueOf(compiled.parse(compiled.decodeWire(valid())))) as OrderDto;
    expect(value).toBeInstanceOf(OrderDto);
    expect(value.address).toBeInstanceOf(Address);
    expect(value.others[0]).toBeInstanceOf(Address);
    expect(value.at).toEqual(new Date('2026-01-02T03:04:05Z'));
    expect(value.quantity).toBe(1);
    expect(compiled.classes).toEqual([OrderDto, Address]);
  });

  it('names every wrong place, with the values it may take, and never the value', async () => {
    const issues = await issuesOf(
      compiled.parse({
        ...valid(),
        id: 5,
        color: 'S3CRET',
        quantity: 'S3CRET',
        others: [{ street: 'y' }, { street: 7 }],
      }),
    );
    expect([...new Set(issues.map((issue) => issue.path.join('.')))].sort()).toEqual([
      'color',
      'id',
      'others.1.street',
      'quantity',
    ]);
    expect(issues.find((issue) => issue.path[0] === 'color')?.allowed).toEqual(['red', 'blue']);
    expect(JSON.stringify(issues)).not.toContain('S3CRET');
  });

  it.each([
    ['tags', '["x"]'],
    ['tags', 'x'],
    ['address', [{ street: 'x' }]],
    ['others', { street: 'x' }],
  ])('takes no lone value for a list and no list for an object: %s', async (field, value) => {
    expect(
      (await issuesOf(compiled.parse({ ...valid(), [field]: value }))).map((issue) => issue.path.join('.')),
    ).toContain(field);
  });

  it.each([[null], [[]], ['x'], [undefined], [5]])('refuses %p as the whole input', async (value) => {
    expect(await issuesOf(compiled.parse(value))).not.toHaveLength(0);
  });

  it('never converts types', async () => {
    expect(
      (await issuesOf(compiled.parse({ ...valid(), quantity: '2' }))).map((issue) => issue.path.join('.')),
    ).toContain('quantity');
  });

  it('drops unknown keys where they are ignored', async () => {
    const lenient = input(OrderDto, 'ignore');
    const value = (await valueOf(
      lenient.parse({ ...valid(), internal: 'x', address: { street: 'x', zip: 1 } }),
    )) as OrderDto;
    expect(value).not.toMatchObject({ internal: 'x' });
    expect(value.address).not.toHaveProperty('zip');
  });

  it('says which fields it may change', () => {
    const changing = Object.keys(compiled.properties).filter((field) => compiled.transforms(field));
    expect(changing.sort()).toEqual(['address', 'at', 'others', 'quantity']);
  });
});

describe('DTO declarations that hide their type', () => {
  class NestedWithoutType {
    @ValidateNested() address!: Address;
  }
  class ArrayWithoutType {
    @IsArray() list!: unknown[];
  }
  class ClassWithoutNesting {
    @IsNotEmpty() address!: Address;
  }
  it.each([
    [NestedWithoutType, '$.address'],
    [ArrayWithoutType, '$.list'],
    [ClassWithoutNesting, '$.address'],
  ])('fail with their place and a remedy', (dto, path) => {
    try {
      input(dto);
      throw new Error('converted');
    } catch (error) {
      expect(error).toBeInstanceOf(SchemaConversionError);
      expect(error).toMatchObject({ path, remedy: expect.stringContaining('@') });
    }
  });

  it('fail without any decorator', () => {
    class Bare {
      a?: string;
    }
    expect(() => input(Bare)).toThrow('Class Bare is not a schema');
  });
});

function IsEven(): PropertyDecorator {
  return (target, propertyKey) => {
    registerDecorator({
      name: 'isEven',
      target: target.constructor,
      propertyName: propertyKey as string,
      validator: { validate: (value: unknown) => typeof value === 'number' && value % 2 === 0 },
    });
  };
}

@ValidatorConstraint({ name: 'noShouting', async: true })
class NoShouting {
  async validate(text: string): Promise<boolean> {
    return Promise.resolve(text !== text.toUpperCase());
  }
  defaultMessage(): string {
    return 'no shouting';
  }
}

describe('special DTO decorators', () => {
  class Special {
    @IsEven() @IsInt() even!: number;
    @Validate(NoShouting) @IsString() quiet!: string;
    @Allow() anything?: unknown;
    @ValidateIf((dto: Special) => dto.even === 2) @IsBoolean() sometimes?: boolean;
    @Expose({ name: 'wire_name' }) @IsString() renamed!: string;
    @Exclude() @IsOptional() @IsString() hidden?: string;
    @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value))
    @IsString()
    trimmed!: string;
    @IsIn(['a', 'b'], { message: 'got $value' }) @IsOptional() pick?: string;
  }
  const compiled = input(Special);
  const raw = { even: 4, quiet: 'x', wire_name: 'r', trimmed: ' t ' };

  it('are kept: custom checks as notes, names of the wire, conditions as optional', () => {
    expect(compiled.properties).toMatchObject({
      even: { type: 'integer', description: 'Checked by isEven.' },
      quiet: { description: 'Checked by noShouting.' },
      anything: {},
      wire_name: { type: 'string' },
    });
    expect(compiled.properties).not.toHaveProperty('hidden');
    expect([...compiled.required].sort()).toEqual(['even', 'quiet', 'trimmed', 'wire_name']);
    expect(compiled.transforms('trimmed')).toBe(true);
  });

  it('are enforced, asynchronous ones too', async () => {
    expect(await valueOf(compiled.parse(raw))).toMatchObject({ renamed: 'r', trimmed: 't' });
    expect((await issuesOf(compiled.parse({ ...raw, even: 3 }))).map((issue) => issue.path[0])).toEqual([
      'even',
    ]);
    expect(await issuesOf(compiled.parse({ ...raw, quiet: 'X' }))).toEqual([
      { path: ['quiet'], message: 'no shouting' },
    ]);
    expect((await issuesOf(compiled.parse({ ...raw, wire_name: 1 })))[0]?.path).toEqual(['wire_name']);
    expect((await issuesOf(compiled.parse({ ...raw, even: 2 })))[0]?.path).toEqual(['sometimes']);
  });

  it('do not echo a value that their message would write out', async () => {
    expect(await issuesOf(compiled.parse({ ...raw, pick: 'zz' }))).toEqual([
      { path: ['pick'], message: 'pick does not satisfy isIn', allowed: ['a', 'b'] },
    ]);
  });
});

describe('polymorphic and recursive DTOs', () => {
  abstract class Pet {}
  class Cat extends Pet {
    @IsString() kind!: string;
    @IsInt() lives!: number;
  }
  class Dog extends Pet {
    @IsString() kind!: string;
    @IsBoolean() good!: boolean;
  }
  class Owner {
    @ValidateNested()
    @Type(() => Pet, {
      discriminator: {
        property: 'kind',
        subTypes: [
          { value: Cat, name: 'cat' },
          { value: Dog, name: 'dog' },
        ],
      },
      keepDiscriminatorProperty: true,
    })
    pet!: Cat | Dog;
  }
  class Folder {
    @IsString() name!: string;
    @IsOptional() @ValidateNested({ each: true }) @Type(() => Folder) @IsArray() folders?: Folder[];
  }

  it('convert to their alternatives', async () => {
    const compiled = input(Owner);
    expect(JSON.stringify(compiled.portable)).toContain('"const":"cat"');
    expect(await valueOf(compiled.parse({ pet: { kind: 'dog', good: true } }))).toMatchObject({
      pet: expect.any(Dog),
    });
    expect(compiled.unknownKey({ pet: { kind: 'dog', wings: 2 } })).toEqual(['pet', 'wings']);
  });

  it('refer to themselves by name', async () => {
    const compiled = input(Folder);
    expect(compiled.exact).toMatchObject({ $ref: '#/$defs/Folder' });
    expect(compiled.portable).toMatchObject({
      type: 'object',
      properties: { folders: { items: { $ref: '#/$defs/Folder' } } },
      $defs: { Folder: { additionalProperties: false } },
    });
    expect(
      (await issuesOf(compiled.parse({ name: 'a', folders: [{ name: 'b', folders: [{ name: 1 }] }] })))[0]
        ?.path,
    ).toEqual(['folders', 0, 'folders', 0, 'name']);
  });
});

describe('a DTO as output', () => {
  class Item {
    @IsString() name!: string;
  }
  class Result {
    @IsInt() id!: number;
    @ValidateNested({ each: true }) @Type(() => Item) @IsArray() items!: Item[];
  }
  const compiled = compiler.compileOutput(Result);

  it('drops what is not declared at every depth, then validates', async () => {
    const value = await valueOf(
      compiled.parse({ id: 1, passwordHash: 'S3CR3T', items: [{ name: 'x', secret: 'S3CR3T' }] }),
    );
    expect(compiled.toWire(value)).toEqual({ id: 1, items: [{ name: 'x' }] });
    expect(await issuesOf(compiled.parse({ id: 'x', items: [] }))).toHaveLength(1);
  });

  it('reads the declared accessors of an entity', async () => {
    class Entity {
      private readonly secret = 'S3CR3T';
      get id(): number {
        return this.secret.length;
      }
      get items(): unknown[] {
        return [];
      }
    }
    expect(compiled.toWire(await valueOf(compiled.parse(new Entity())))).toEqual({ id: 6, items: [] });
  });
});
