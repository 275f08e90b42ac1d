import { isCapabilityName, isToolName, mapName } from './capability-name.js';

describe('capability names', () => {
  it.each(['a', 'orders.find', 'Orders.find-One_2', '0.1', 'a'.repeat(64), 'constructors', '_proto_'])(
    'accepts %s',
    (name) => {
      expect(isCapabilityName(name)).toBe(true);
    },
  );

  it.each([
    '',
    '.',
    'a.',
    '.a',
    'a..b',
    'a b',
    'a/b',
    'ä',
    'a\n',
    'a'.repeat(65),
    '__proto__',
    'constructor',
    'prototype',
    'orders.constructor',
    '_.proto__',
    7,
    null,
    undefined,
  ])('refuses %p', (name) => {
    expect(isCapabilityName(name)).toBe(false);
  });

  it('maps to a name without dots that every tool protocol takes', () => {
    expect(mapName('orders.lines.find')).toBe('orders_lines_find');
    expect(isToolName('orders.find')).toBe(false);
    expect(isToolName(mapName('orders.find'))).toBe(true);
    expect(isToolName('')).toBe(false);
  });
});
