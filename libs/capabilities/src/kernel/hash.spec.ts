import { createHash } from 'node:crypto';
import { hmacSha256, sha256 } from './hash.js';

describe('hashes', () => {
  it('are stable and depend on domain and text', () => {
    expect(sha256('a', 'x')).toMatch(/^[0-9a-f]{64}$/);
    expect(sha256('a', 'x')).toBe(sha256('a', 'x'));
    expect(new Set([sha256('a', 'x'), sha256('b', 'x'), sha256('a', 'y')]).size).toBe(3);
    expect(sha256('a', 'x')).not.toBe(createHash('sha256').update('x').digest('hex'));
  });

  it('cannot be shifted from the domain into the text', () => {
    expect(sha256('ab', 'c')).not.toBe(sha256('a', 'bc'));
    expect(sha256('a', '\0b')).not.toBe(sha256('a\0', 'b'));
  });

  it('depend on the key', () => {
    expect(hmacSha256('k1', 'a', 'x')).not.toBe(hmacSha256('k2', 'a', 'x'));
    expect(hmacSha256(Buffer.from('k1'), 'a', 'x')).toBe(hmacSha256('k1', 'a', 'x'));
    expect(hmacSha256('k1', 'ab', 'c')).not.toBe(hmacSha256('k1', 'a', 'bc'));
  });
});
