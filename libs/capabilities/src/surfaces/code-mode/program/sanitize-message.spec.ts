import { sanitizeMessage } from './sanitize-message.js';

it.each([
  ['no such file /home/ada/app/x.ts:3', 'no such file [path]'],
  ['in "/Users/ada/x" and \'/private/tmp/y\'', 'in "[path]" and \'[path]\''],
  ['/tmp/a, /var/folders/b;', '[path], [path];'],
  ['at C:\\Users\\ada\\x.ts', 'at [path]'],
  ['see https://example.com/home/page', 'see https://example.com[path]'],
  ['token=abcdef0123456789', 'token=[redacted]'],
  ['/usr/lib is public', '/usr/lib is public'],
])('%s becomes %s', (message, expected) => expect(sanitizeMessage(message)).toBe(expected));

it('cuts to 512 characters', () => expect(sanitizeMessage('x'.repeat(600))).toHaveLength(512));
