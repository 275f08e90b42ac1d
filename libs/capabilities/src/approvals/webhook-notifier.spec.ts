import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ShiftedClock } from '../testing/shifted-clock.js';
import { requestData } from '../testing/store-fixtures.js';
import type { ApprovalNotification } from './approval-notifier.js';
import { approvalView } from './approval-view.js';
import { WebhookNotifier } from './webhook-notifier.js';
import { signWebhook, verifyWebhook } from './webhook-signature.js';

const secret = 'a shared secret of more than 24 bytes';
const clock = new ShiftedClock();
const notification: ApprovalNotification = {
  type: 'requested',
  approval: approvalView({
    ...requestData('t1'),
    state: 'pending',
    createdAt: 0,
    decideBy: 900_000,
    executeBy: null,
    votes: [],
    decision: null,
    claimedBy: null,
    outcome: null,
    note: null,
  }),
};

interface Delivery {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let server: Server;
let deliveries: Delivery[];
let statuses: number[];
const notifier = (change = {}) =>
  new WebhookNotifier({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    secret,
    clock,
    backoffMs: 1,
    ...change,
  });

beforeEach(async () => {
  deliveries = [];
  statuses = [];
  server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      deliveries.push({ headers: request.headers, body });
      const status = statuses.shift() ?? 204;
      if (status > 0) response.writeHead(status, { location: '/elsewhere' }).end();
      else request.socket.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const verified = ({ headers, body }: Delivery, now = clock.now()) =>
  verifyWebhook(headers, body, { secret, now });

describe('the webhook', () => {
  it('posts signed JSON that its receiver can check, without arguments', async () => {
    await notifier().notify(notification);
    const [delivery] = deliveries;
    expect(verified(delivery!)).toBe(true);
    const { type, approval } = JSON.parse(delivery!.body) as ApprovalNotification;
    expect([type, approval.approvalId, approval.action.verb]).toEqual([
      'requested',
      notification.approval.approvalId,
      'Refund',
    ]);
    expect(delivery!.body).not.toContain('arguments');
    expect(delivery!.body).not.toContain('inputHash');
  });

  it('retries faults, 429 and 5xx under one id, and gives up after its retries', async () => {
    statuses = [500, 0, 429, 204];
    await notifier().notify(notification);
    expect(deliveries).toHaveLength(4);
    expect(new Set(deliveries.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(deliveries.every((delivery) => verified(delivery))).toBe(true);
    statuses = [503, 503, 503];
    await expect(notifier({ retries: 2 }).notify(notification)).rejects.toThrow('status 503');
    expect(deliveries).toHaveLength(7);
  });

  it('does not repeat what was refused, and never follows a redirect', async () => {
    statuses = [400];
    await expect(notifier().notify(notification)).rejects.toThrow('status 400');
    statuses = [302, 302];
    await expect(notifier({ retries: 1 }).notify(notification)).rejects.toThrow('not delivered');
    expect(deliveries).toHaveLength(3);
  });

  it('refuses a short secret and a bad address', () => {
    expect(() => notifier({ secret: 'short' })).toThrow(TypeError);
    expect(() => notifier({ url: 'nowhere' })).toThrow('Invalid URL');
  });
});

describe('a webhook’s signature', () => {
  const body = '{"type":"requested"}';
  const now = 1_800_000_000_000;
  const signed = signWebhook(secret, 'id-1', now / 1000, body);

  it('holds for this body, id, time and secret only', () => {
    const check = { secret, now };
    expect(verifyWebhook(signed, body, check)).toBe(true);
    expect(
      verifyWebhook({ ...signed, 'webhook-signature': `v1,bad ${signed['webhook-signature']}` }, body, check),
    ).toBe(true);
    expect(verifyWebhook(signed, `${body} `, check)).toBe(false);
    expect(verifyWebhook({ ...signed, 'webhook-id': 'id-2' }, body, check)).toBe(false);
    expect(verifyWebhook({ ...signed, 'webhook-timestamp': '1800000001' }, body, check)).toBe(false);
    expect(verifyWebhook(signed, body, { ...check, secret: `${secret}!` })).toBe(false);
    expect(verifyWebhook({}, body, check)).toBe(false);
    expect(verifyWebhook({ ...signed, 'webhook-timestamp': 'NaN' }, body, check)).toBe(false);
  });

  it('holds for five minutes either way', () => {
    for (const [seconds, valid] of [
      [300, true],
      [301, false],
      [-300, true],
      [-301, false],
    ] as const) {
      expect(verifyWebhook(signed, body, { secret, now: now + seconds * 1000 })).toBe(valid);
    }
  });
});
