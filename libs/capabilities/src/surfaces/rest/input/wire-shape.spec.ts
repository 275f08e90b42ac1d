import { decodeParameter } from './decode-parameter.js';
import { wireShape } from './wire-shape.js';

const shape = (property: object, root: object = {}): unknown => wireShape({ ...property }, { ...root });

describe('wireShape', () => {
  it.each<[string, object, string]>([
    ['a type', { type: 'integer' }, 'integer'],
    ['a nullable union', { anyOf: [{ type: 'number' }, { type: 'null' }] }, 'number'],
    ['a type list with null', { type: ['boolean', 'null'] }, 'boolean'],
    ['integers beside numbers', { anyOf: [{ type: 'integer' }, { type: 'number' }] }, 'number'],
    ['numbers beside strings', { anyOf: [{ type: 'number' }, { type: 'string' }] }, 'text'],
    ['a constant', { const: true }, 'boolean'],
    ['an enumeration of one type', { enum: [1, 2, null] }, 'number'],
    ['a mixed enumeration', { enum: [1, 'a'] }, 'text'],
    ['an intersection', { allOf: [{ description: 'x' }, { type: 'integer' }] }, 'integer'],
    ['properties without a type', { properties: {} }, 'object'],
    ['no rule', {}, 'text'],
  ])('reads %s', (_what, property, kind) => {
    expect(shape(property)).toMatchObject({ kind });
  });

  it('follows references of the whole schema, and stops in a circle', () => {
    const root = {
      $defs: {
        'a/b': { type: 'array', items: { $ref: '#/$defs/N' } },
        N: { type: 'number' },
        C: { $ref: '#/$defs/C' },
      },
    };
    expect(shape({ $ref: '#/$defs/a~1b' }, root)).toEqual({ kind: 'array', items: { kind: 'number' } });
    expect(shape({ $ref: '#/$defs/C' }, root)).toEqual({ kind: 'text' });
    expect(shape({ $ref: '#/$defs/none' }, root)).toEqual({ kind: 'text' });
  });
});

describe('decodeParameter', () => {
  it.each([
    ['-0', 'number', -0],
    ['1e2', 'integer', 100],
    ['1e400', 'number', '1e400'],
    ['.5', 'number', '.5'],
    ['NaN', 'number', 'NaN'],
    ['false', 'boolean', false],
    ['12', 'text', '12'],
  ] as const)('decodes %s as %s', (text, kind, value) => {
    expect(decodeParameter('f', [text], { kind })).toBe(value);
  });

  it('makes a list of one value and refuses a scalar given twice', () => {
    expect(decodeParameter('f', ['1'], { kind: 'array', items: { kind: 'number' } })).toEqual([1]);
    expect(() => decodeParameter('f', ['1', '2'], { kind: 'number' })).toThrow(/f: Give this parameter once/);
    expect(decodeParameter('unknown', ['x'], undefined)).toBe('x');
  });
});
