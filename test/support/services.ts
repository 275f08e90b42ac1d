import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { Client } from 'pg';

/** Something outside the process that a suite needs: how to reach it, or why it cannot be reached. */
export type Service = { readonly url: string } | { readonly reason: string };

const message = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** PostgreSQL at `TEST_POSTGRES_URL`, by default the database `test` of 127.0.0.1:5432. */
export async function postgres(): Promise<Service> {
  const url = process.env['TEST_POSTGRES_URL'] ?? 'postgres://postgres@127.0.0.1:5432/test';
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2000 });
  try {
    await client.connect();
    await client.query('select 1');
    return { url };
  } catch (error) {
    return { reason: `PostgreSQL does not answer (set TEST_POSTGRES_URL): ${message(error)}` };
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Redis at `TEST_REDIS_URL`, by default 127.0.0.1:6379. */
export async function redis(): Promise<Service> {
  const url = process.env['TEST_REDIS_URL'] ?? 'redis://127.0.0.1:6379';
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const fail = (why: string): void =>
      resolve({ reason: `Redis does not answer (set TEST_REDIS_URL): ${why}` });
    const socket = connect({ host: hostname, port: Number(port || 6379), timeout: 2000 });
    socket.once('connect', () => socket.write('PING\r\n'));
    socket.once('data', (reply) => {
      socket.destroy();
      if (reply.toString().startsWith('+PONG')) resolve({ url });
      else fail(reply.toString().trim());
    });
    socket.once('timeout', () => {
      socket.destroy();
      fail('timeout');
    });
    socket.once('error', (error) => fail(error.message));
  });
}

/** The Chromium program at `CHROMIUM_PATH`, by default Debian's. Its `url` is the path. */
export function chromium(): Service {
  const path = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
  return existsSync(path) ? { url: path } : { reason: `Chromium is not at ${path} (set CHROMIUM_PATH)` };
}

/**
 * Declares a suite that needs a service. Where the service is missing the suite is left out with a printed
 * line; with `CI=true` that is a failure.
 */
export function suiteWith(service: Service, title: string, body: (url: string) => void): void {
  if ('url' in service) {
    describe(title, () => body(service.url));
    return;
  }
  if (process.env['CI'] === 'true') {
    it(title, () => {
      throw new Error(service.reason);
    });
    return;
  }
  process.stderr.write(`LEFT OUT: ${title}: ${service.reason}\n`);
  it.skip(`${title} (${service.reason})`, () => undefined);
}
