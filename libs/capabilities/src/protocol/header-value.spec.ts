import { decodeFieldValue } from './header-value.js';

const encoded = (text: string): string => `=?base64?${Buffer.from(text).toString('base64')}?=`;

describe('decodeFieldValue', () => {
  it.each([
    ['plain', 'plain'],
    [' \tplain \t', 'plain'],
    [encoded('Zürich ✓'), 'Zürich ✓'],
    [` ${encoded('a')} `, 'a'],
    [encoded(''), ''],
    ['=?base64?SGVsbG8=', '=?base64?SGVsbG8='],
    ['SGVsbG8=?=', 'SGVsbG8=?='],
    ['=?BASE64?SGVsbG8=?=', '=?BASE64?SGVsbG8=?='],
    ['=?base64?=', '=?base64?='],
  ])('reads %j as %j', (value, text) => {
    expect(decodeFieldValue(value)).toBe(text);
  });

  it.each([
    ['bad padding', '=?base64?SGVsbG8?='],
    ['another alphabet', '=?base64?SGV!!G8=?='],
    ['base64url', '=?base64?_-8=?='],
    ['white space inside', '=?base64?SGVs bG8=?='],
    ['bytes that are not UTF-8', '=?base64?/w==?='],
  ])('refuses %s', (_what, value) => {
    expect(decodeFieldValue(value)).toBeUndefined();
  });
});
