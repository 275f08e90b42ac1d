import fc from 'fast-check';
import { parseStrictJson, StrictJsonError, type StrictJsonReason } from './strict-json.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function refusal(input: string | Uint8Array, options?: { maxDepth?: number }): StrictJsonError | undefined {
  try {
    parseStrictJson(typeof input === 'string' ? bytes(input) : input, options);
    return undefined;
  } catch (error) {
    if (error instanceof StrictJsonError) return error;
    throw error;
  }
}

describe('parseStrictJson', () => {
  const refused: [StrictJsonReason, string][] = [
    ['syntax', ''],
    ['syntax', ' '],
    ['syntax', '{'],
    ['syntax', "{'a':1}"],
    ['syntax', '[1,]'],
    ['syntax', '{"a":1} x'],
    ['syntax', '01'],
    ['syntax', 'NaN'],
    ['utf8', '\ufeff{}'],
    ['duplicate-key', '{"a":1,"a":2}'],
    ['duplicate-key', '{"a":1,"\\u0061":2}'],
    ['duplicate-key', '[{"b":{"a":{},"a":[]}}]'],
    ['forbidden-key', '{"__proto__":{}}'],
    ['forbidden-key', '{"x":[{"\\u005f_proto__":1}]}'],
    ['forbidden-key', '{"constructor":{"prototype":{}}}'],
    ['number', '1e400'],
    ['number', '-1e400'],
    ['number', '[9007199254740992]'],
    ['number', '{"a":-9007199254740993}'],
    ['number', '1e-400'],
    ['surrogate', '"\\ud800"'],
    ['surrogate', '{"\\udc00x":1}'],
    ['surrogate', '"\\udc00\\ud800"'],
    ['nul', '"a\\u0000b"'],
    ['nul', '{"\\u0000":1}'],
  ];
  it.each(refused)('refuses as %s: %s', (reason, text) => {
    expect(refusal(text)?.reason).toBe(reason);
  });

  it('refuses bytes that are not UTF-8', () => {
    expect(refusal(Uint8Array.of(0x22, 0xff, 0x22))?.reason).toBe('utf8');
    expect(refusal(Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22))?.reason).toBe('utf8');
    expect(refusal(Uint8Array.of(0x22, 0xc0, 0x80, 0x22))?.reason).toBe('utf8');
  });

  it.each([
    ['{"constructor":1,"prototype":{}}'],
    ['{"constructor":{"name":1}}'],
    ['{"a":{"k":1},"b":{"k":1}}'],
    ['[-0, 0, 0e5, 9007199254740991, 0.1, 1e21, 6.02214076e23]'],
    ['"\\ud83d\\ude00 \\" \\\\ {[,:"'],
    ['{"a":"}","b":"\\"","c":["{","["]}'],
    [' null '],
  ])('reads %s like JSON.parse', (text) => {
    expect(parseStrictJson(bytes(text))).toEqual(JSON.parse(text));
  });

  it('bounds depth, 64 levels by default', () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    expect(refusal(nested(64))).toBeUndefined();
    expect(refusal(nested(65))?.reason).toBe('depth');
    expect(refusal(nested(50_000))?.reason).toBe('depth');
    expect(refusal('{"a":[1]}', { maxDepth: 1 })?.reason).toBe('depth');
  });

  it('names the place and never the input', () => {
    const error = refusal('{"list":[{"ok":1},{"deep":{"S3CRET":1,"S3CRET":"S3CRET"}}]}');
    expect(error?.path).toEqual(['list', 1, 'deep', 'S3CRET']);
    expect(error?.message).not.toContain('S3CRET');
    expect(refusal('{"S3CRET": S3CRET}')?.message).not.toContain('S3CRET');
  });

  it('agrees with JSON.parse on every value it accepts', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const error = refusal(text);
        if (error === undefined) expect(parseStrictJson(bytes(text))).toEqual(JSON.parse(text));
        else expect(['forbidden-key', 'number', 'nul', 'surrogate']).toContain(error.reason);
      }),
    );
  });

  it('never throws anything else', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array(),
          fc.string({ unit: fc.constantFrom(...'{}[]:,"\\u0019e-.tfn '.split('')) }).map(bytes),
        ),
        (input) => {
          refusal(input);
        },
      ),
    );
  });
});
