import { ANONYMOUS } from '../kernel/principal.js';
import { CallNotifications } from './call-notifications.js';
import { CallSite } from './call-site.js';
import type { RequestMeta } from './request-meta.js';

const signal = new AbortController().signal;

function notificationsOf(meta: Partial<RequestMeta>): { sent: unknown[]; notifications: CallNotifications } {
  const sent: unknown[] = [];
  const exchange = {
    headers: undefined,
    principal: ANONYMOUS,
    signal,
    openStream: () => ({
      send: (message: string) => void sent.push(JSON.parse(message)),
      end: () => undefined,
    }),
  };
  const full: RequestMeta = {
    clientCapabilities: {},
    progressToken: undefined,
    logLevel: undefined,
    trace: undefined,
    idempotencyKey: undefined,
    ...meta,
  };
  const call = { id: 1, method: 'tools/call', params: {} };
  const site = new CallSite('modern', call, full, exchange, signal);
  return { sent, notifications: new CallNotifications(site, undefined) };
}

describe('CallNotifications', () => {
  it('sends progress that grows, under the token of its type', () => {
    const { sent, notifications } = notificationsOf({ progressToken: 0 });
    for (const step of [1, 1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2])
      notifications.progress(step, Number.NaN);
    notifications.progress(3, 4, 'Nearly.');

    expect(sent).toMatchObject([
      { params: { progressToken: 0, progress: 1 } },
      { params: { progress: 2 } },
      { params: { progress: 3, total: 4, message: 'Nearly.' } },
    ]);
    expect(JSON.stringify(sent)).not.toContain('null');
  });

  it('sends messages of the wished severity, and drops what JSON cannot hold', () => {
    const { sent, notifications } = notificationsOf({ logLevel: 'warning' });
    const loop: Record<string, unknown> = {};
    loop['self'] = loop;
    notifications.log('info', 'quiet');
    notifications.log('error', loop);
    notifications.log('error', 1n);
    notifications.log('critical', { why: 'loud' }, 'app');

    expect(sent).toMatchObject([
      {
        method: 'notifications/message',
        params: { level: 'critical', logger: 'app', data: { why: 'loud' } },
      },
    ]);
  });

  it('sends nothing without a wish for it, or after the reply', () => {
    const silent = notificationsOf({});
    silent.notifications.progress(1);
    silent.notifications.log('emergency', 'x');
    const closed = notificationsOf({ progressToken: 'p', logLevel: 'debug' });
    closed.notifications.close();
    closed.notifications.progress(1);
    closed.notifications.log('emergency', 'x');

    expect([...silent.sent, ...closed.sent]).toEqual([]);
  });
});
