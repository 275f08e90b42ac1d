import { z } from 'zod';
import { type Capability, createCapabilityRegistry, defineCapability as define } from './index.js';

/** A well-formed capability. */
function capability(over: Partial<Capability> = {}): Capability {
  return define({
    name: 'probe',
    description: 'A probe.',
    inputSchema: z.object({ n: z.coerce.number().optional() }),
    outputSchema: z.object({ value: z.unknown() }),
    annotations: { readOnly: true, destructive: false },
    run: () => ({ value: 'ran' }),
    ...over,
  } as never);
}

describe('createCapabilityRegistry', () => {
  const readDocument = capability({ name: 'read_document' });
  const other = capability({ name: 'archive_document' });

  it('finds capabilities by name and lists them in order', () => {
    const registry = createCapabilityRegistry([readDocument, other]);
    expect(registry.all().map(({ name }) => name)).toEqual(['archive_document', 'read_document']);
    expect(registry.get('read_document')).toBe(readDocument);
    expect(registry.get('constructor')).toBeUndefined();
    expect(registry.compiled.exposedOn('mcp')).toHaveLength(2);
  });

  it('refuses two capabilities of one name, instead of serving the first', () => {
    expect(() => createCapabilityRegistry([readDocument, capability({ name: 'read_document' })])).toThrow(
      /NAME_DUPLICATE/,
    );
  });

  it('refuses names that collide where dots are forbidden', () => {
    expect(() =>
      createCapabilityRegistry([capability({ name: 'a.b' }), capability({ name: 'a_b' })]),
    ).toThrow(/NAME_COLLISION/);
  });

  it('refuses hand-written values that are not well formed, all in one error', () => {
    const bad = { ...other, name: 'no good' };
    const worse = { ...other, name: 'worse', annotations: undefined as never };
    expect(() => createCapabilityRegistry([bad, worse])).toThrow(/2 problems/);
  });
});
