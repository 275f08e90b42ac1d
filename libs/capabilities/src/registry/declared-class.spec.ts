import { IsInt, IsString } from 'class-validator';
import { z } from 'zod';
import { DtoAdapter } from '../kernel/schema/dto-adapter.js';
import { SchemaCompiler } from '../kernel/schema/schema-compiler.js';
import { buildDefinition, type BuiltDefinition } from './build-definition.js';
import { Capability } from './capability.decorator.js';
import { mergeDeclaration } from './capability-declaration.js';
import { CapabilityHost } from './capability-host.decorator.js';
import { capabilityMethods, hostOptions, type HostClass } from './capability-metadata.js';

const compiler = new SchemaCompiler([new DtoAdapter()]);

/** From decorated class to definitions, as the explorer goes. */
function build(type: HostClass): ReadonlyMap<string, BuiltDefinition> {
  const built = capabilityMethods(type).flatMap(({ key, marks, paramTypes, paramCount }) =>
    marks.map((mark) => {
      const options = mergeDeclaration(mark.options, hostOptions(type), undefined, String(key));
      const source = { className: type.name, methodName: String(key), moduleName: undefined };
      const handler = { guard: undefined, invoke: () => undefined };
      return [
        String(key),
        buildDefinition({ options, source, paramTypes, paramCount }, { compiler, handler }),
      ] as const;
    }),
  );
  return new Map(built);
}

class FindOrderDto {
  @IsString()
  id!: string;

  @IsInt()
  page!: number;
}

interface Erased {
  readonly id: string;
}

const read = { description: 'Find orders.' };

@CapabilityHost({ namespace: 'orders', expose: ['rest'], permission: 'orders:read', risk: 'low' })
class OrdersService {
  @Capability.read(read)
  byDto(input: FindOrderDto) {
    return input;
  }

  @Capability.read(read)
  nothing() {
    return 1;
  }

  @Capability.read({ ...read, inputSchema: FindOrderDto, args: (input) => [input.id, input.page] })
  positional(id: string, page: number) {
    return [id, page];
  }

  @Capability.read(read)
  byInterface(input: Erased) {
    return input;
  }

  @Capability.read(read)
  byUnion(input: FindOrderDto | null) {
    return input;
  }

  @Capability.read(read)
  byText(id: string) {
    return id;
  }

  @Capability({
    ...read,
    sideEffect: 'write',
    inputSchema: z.object({ id: z.string() }),
    http: { method: 'GET', path: '/orders/:nr' },
    retry: { maxAttempts: 1 },
  })
  manyFaults(input: { id: string }) {
    return input;
  }
}

describe('a decorated class', () => {
  const built = build(OrdersService);

  it('takes its input from the DTO class of the first parameter', async () => {
    const { definition, problems } = built.get('byDto')!;
    expect(problems).toEqual([]);
    expect(definition).toMatchObject({
      name: 'orders.byDto',
      title: 'Orders by dto',
      expose: ['rest'],
      permission: 'orders:read',
      risk: 'low',
    });
    expect(Object.keys(definition?.input.properties ?? {}).sort()).toEqual(['id', 'page']);
    const parsed = await definition?.input.parse({ id: '7', page: 1 });
    expect(parsed).toMatchObject({ ok: true, value: expect.any(FindOrderDto) });
  });

  it('takes no input, or the declared one', () => {
    expect(built.get('nothing')?.definition?.input.properties).toEqual({});
    expect(Object.keys(built.get('positional')?.definition?.input.properties ?? {}).sort()).toEqual([
      'id',
      'page',
    ]);
  });

  it.each(['byInterface', 'byUnion', 'byText'])('says why the parameter of %s is no input', (method) => {
    expect(built.get(method)?.problems).toMatchObject([
      {
        code: 'INPUT_ERASED',
        capability: `orders.${method}`,
        className: 'OrdersService',
        methodName: method,
        remedy: expect.stringContaining('inputSchema'),
      },
    ]);
  });

  it('names every fault of one method', () => {
    expect(built.get('manyFaults')?.problems.map(({ code }) => code)).toEqual([
      'RETRY_UNSAFE',
      'GET_ON_WRITE',
      'PATH_PARAMETER_UNKNOWN',
    ]);
  });
});
