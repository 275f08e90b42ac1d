import { scrub } from './scrub.js';

const SECRET = 'Zm9vYmFyLXNlY3JldA';

describe('scrub', () => {
  it.each([
    [`connect postgres://app:${SECRET}@db.local:5432/x failed`],
    [`connect postgres://app:a/${SECRET}@db.local:5432/x failed`],
    [`redis://${SECRET}@cache`],
    [`authorization: Bearer ${SECRET}`],
    [`Authorization: Basic ${SECRET}==`],
    [`{"authorization":"Basic ${SECRET}","accept":"*/*"}`],
    [`{\\"authorization\\":\\"Basic ${SECRET}\\"}`],
    [`{ authorization: 'Custom ${SECRET}' }`],
    [`[ 'Cookie', 'sid=${SECRET}', 'Accept' ]`],
    [`Cookie: theme=dark; sid=${SECRET}`],
    [`'set-cookie': [\n  'sid=${SECRET}; HttpOnly'\n]`],
    [`token eyJhbGciOiJFUzI1NiJ9.${SECRET}.${SECRET}`],
    [`Bearer ${SECRET}`],
    [`GET /x?access_token=${SECRET}&page=1`],
    [`DB_PASSWORD=${SECRET}`],
    [`{"client_secret": "${SECRET}"}`],
    [`x-api-key: ${SECRET}`],
    [`ghp_${SECRET}${SECRET}`],
    [`-----BEGIN EC PRIVATE KEY-----\n${SECRET}\n-----END EC PRIVATE KEY-----`],
  ])('removes the secret of %s', (text) => {
    const clean = scrub(text);
    expect(clean).toContain('[redacted]');
    expect(clean).not.toContain(SECRET);
  });

  it.each([
    ['at Module (file:///app/node_modules/@nestjs/core/index.js:10:5)'],
    ['connect ECONNREFUSED 127.0.0.1:5432'],
    ['GET https://docs.example.org:8443/@scope/name?page=2'],
    ['mail ann@example.org about order 17'],
    ['duplicate key value violates unique constraint "orders_pkey"'],
  ])('leaves %s alone', (text) => {
    expect(scrub(text)).toBe(text);
  });

  it('keeps what surrounds a secret', () => {
    expect(scrub(`GET /x?access_token=${SECRET}&page=1 as ann`)).toBe(
      'GET /x?access_token=[redacted]&page=1 as ann',
    );
    expect(scrub(`https://u:${SECRET}@host/a`)).toBe('https://[redacted]@host/a');
  });

  it('leaves no part of a secret that the length limit cuts', () => {
    const text = `${'word '.repeat(13_106)}https://user:${SECRET}@host/`;
    expect(text.length).toBeGreaterThan(65_536);
    expect(scrub(text)).not.toContain('user:');
  });
});
