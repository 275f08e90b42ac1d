import { z } from 'zod';
import { defineContract } from '../contract/define-contract.js';
import { Capability } from './capability.decorator.js';
import { CapabilityHost } from './capability-host.decorator.js';
import { capabilityMethods, hostOptions, type HostClass } from './capability-metadata.js';

const declared = { description: 'Does it.', expose: ['rest'], risk: 'low', permission: null } as const;

/** Replaces the method and copies no metadata. */
const Traced = (): MethodDecorator => (_target, _key, descriptor) => {
  const original = descriptor.value as unknown as (...args: unknown[]) => unknown;
  descriptor.value = function traced(this: unknown, ...args: unknown[]) {
    return original.apply(this, args);
  } as never;
};

const methodsOf = (type: HostClass) =>
  Object.fromEntries(capabilityMethods(type).map((method) => [String(method.key), method]));

class FindDto {
  id!: string;
}

describe('capability metadata', () => {
  it('survives a decorator that replaces the method, in both orders, with its real parameters', () => {
    class Host {
      @Traced()
      @Capability.read({ ...declared, name: 'a' })
      a(input: FindDto) {
        return input;
      }
      @Capability.read({ ...declared, name: 'b' })
      @Traced()
      b(input: FindDto) {
        return input;
      }
    }
    const { a, b } = methodsOf(Host);
    expect(a?.marks[0]?.options.name).toBe('a');
    expect(b?.marks[0]?.options.name).toBe('b');
    expect(a?.paramTypes).toEqual([FindDto]);
    expect([a?.paramCount, b?.paramCount]).toEqual([1, 1]);
    // The upper decorator of `a` ran last, so the mark remembers the function under it.
    expect(a?.marks[0]?.method).not.toBe(Host.prototype.a);
    expect(b?.marks[0]?.method).toBe(Host.prototype.b);
  });

  it('keeps two capabilities of one method, in source order', () => {
    class Host {
      @Capability.read({ ...declared, name: 'upper' })
      @Capability.write({ ...declared, name: 'lower' })
      both() {
        return 1;
      }
    }
    expect(methodsOf(Host)['both']?.marks.map(({ options }) => options.name)).toEqual(['upper', 'lower']);
  });

  it('inherits marks; the nearest class that declares a method wins as a whole', () => {
    class Base {
      @Capability.read({ ...declared, name: 'kept' })
      kept() {
        return 'base';
      }
      @Capability.read({ ...declared, name: 'replaced' })
      replaced() {
        return 'base';
      }
    }
    class Derived extends Base {
      override kept() {
        return 'derived';
      }
      @Capability.write({ ...declared, name: 'own' })
      override replaced() {
        return 'derived';
      }
    }
    const names = (type: HostClass) =>
      capabilityMethods(type)
        .flatMap(({ marks }) => marks.map(({ options }) => String(options.name)))
        .sort();
    expect(names(Base)).toEqual(['kept', 'replaced']);
    expect(names(Derived)).toEqual(['kept', 'own']);
  });

  it('takes the host options of the nearest class', () => {
    @CapabilityHost({ namespace: 'base' })
    class Base {}
    class Plain extends Base {}
    @CapabilityHost({ namespace: 'own' })
    class Own extends Base {}
    expect([Base, Plain, Own].map((type) => hostOptions(type)?.namespace)).toEqual(['base', 'base', 'own']);
    expect(hostOptions(class {})).toBeUndefined();
  });

  it.each([
    ['read', Capability.read],
    ['write', Capability.write],
    ['destructive', Capability.destructive],
    ['external', Capability.external],
  ] as const)('fixes the side effect of Capability.%s', (sideEffect, decorator) => {
    class Host {
      @decorator({ ...declared, name: 'it' })
      it() {
        return 1;
      }
    }
    expect(methodsOf(Host)['it']?.marks[0]?.options.sideEffect).toBe(sideEffect);
  });

  it('takes a contract, with what the server decides', () => {
    const contract = defineContract({
      name: 'orders.find',
      description: 'Find one order.',
      access: 'read',
      inputSchema: z.object({ id: z.string() }),
      outputSchema: z.object({ id: z.string() }),
    });
    class Host {
      @Capability(contract, { permission: 'orders:read', timeoutMs: 5 })
      find(input: { id: string }) {
        return input;
      }
    }
    expect(methodsOf(Host)['find']?.marks[0]?.options).toMatchObject({
      name: 'orders.find',
      description: 'Find one order.',
      sideEffect: 'read',
      permission: 'orders:read',
      timeoutMs: 5,
      inputSchema: contract.inputSchema,
    });
  });

  it('refuses a static method at once, where nothing could serve it', () => {
    const decorate = Capability.read({ ...declared, name: 'it' }) as unknown as (...args: unknown[]) => void;
    class Host {
      static it() {
        return 1;
      }
    }
    const descriptor = Object.getOwnPropertyDescriptor(Host, 'it');
    expect(() => decorate(Host, 'it', descriptor)).toThrow(/static method Host\.it/);
  });
});
