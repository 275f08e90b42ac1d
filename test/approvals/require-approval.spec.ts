import {
  BadRequestException,
  Body,
  Controller,
  Get,
  HttpCode,
  Inject,
  Param,
  Post,
  Query,
  Req,
  UseInterceptors,
} from '@nestjs/common';
import { CapabilityRunner, PrincipalResolver, type PrincipalInput } from 'nest-capabilities';
import { ApprovalInterceptor, RequireApproval, RequirePermission } from 'nest-capabilities/rest';
import { ADAPTERS, type Reply, startRestApp } from '../rest/rest-app.js';
import { type ApprovalsApp, reasonOf, REFUND, startApprovalsApp } from './approvals-app.js';

const ran: unknown[] = [];

@Controller('orders')
class OrdersController {
  @Post(':id/refund')
  @HttpCode(201)
  @RequirePermission('refunds:write')
  @RequireApproval({ title: 'Refund an order', quorum: 1 })
  refund(
    @Param('id') id: string,
    @Query('notify') notify: string,
    @Body() body: { amount: number },
  ): unknown {
    ran.push({ id, notify, ...body });
    if (id === 'closed') throw new BadRequestException('The order is closed');
    if (id === 'broken') throw new Error('connect ECONNREFUSED postgres://u:pw@db');
    return { refunded: body.amount };
  }

  @Post(':id/close')
  @RequireApproval()
  close(@Param('id') id: string): { closed: string } {
    ran.push({ close: id });
    return { closed: id };
  }
}

@Controller('proxy')
@UseInterceptors(ApprovalInterceptor)
class ProxyController {
  constructor(
    @Inject(CapabilityRunner) private readonly runner: CapabilityRunner,
    @Inject(PrincipalResolver) private readonly principals: PrincipalResolver,
  ) {}

  @Post('outcome')
  async outcome(@Req() request: object): Promise<unknown> {
    const outcome = await this.runner.execute('refund.issue', REFUND, {
      principal: await this.who(request),
      surface: 'rest',
    });
    return outcome.status === 'completed' ? outcome.output : outcome;
  }

  @Post('call')
  async call(@Req() request: object): Promise<unknown> {
    return this.runner.call('refund.issue', REFUND, { principal: await this.who(request), surface: 'rest' });
  }

  @Get('plain')
  plain(): object {
    return { status: 'suspended' };
  }

  private who(request: object): Promise<PrincipalInput | null> | PrincipalInput | null {
    return this.principals.resolve({
      surface: 'rest',
      request,
      token: 'alice',
    });
  }
}

describe.each(ADAPTERS)('@RequireApproval() on %s', (adapter) => {
  let desk: ApprovalsApp;

  beforeAll(async () => {
    desk = await startApprovalsApp(adapter, { controllers: [OrdersController, ProxyController] });
  });
  afterAll(() => desk?.close());
  beforeEach(() => (ran.length = 0));

  const refund = (
    path = '/orders/7/refund?notify=yes',
    body: object = { amount: 5 },
    headers = {},
    as = 'alice',
  ) =>
    desk.send('POST', path, {
      as,
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    });
  const idOf = (reply: Reply): string => (reply.json as { approvalId: string }).approvalId;
  const approved = async (path?: string, body?: object): Promise<string> => {
    const id = idOf(await refund(path, body));
    expect((await desk.decide('bob', id)).status).toBe(200);
    return id;
  };

  it('suspends with 202 and runs the repeated request once', async () => {
    const asked = await refund();
    expect(asked.status).toBe(202);
    const id = idOf(asked);
    expect(asked.headers['location']).toBe(`/approvals/${id}`);
    expect(asked.json).toMatchObject({
      status: 'approval_required',
      links: { self: `/approvals/${id}`, decision: `/approvals/${id}/page` },
    });
    expect((asked.json as { links: object }).links).not.toHaveProperty('execute');
    expect(ran).toEqual([]);

    const { json } = await desk.get('bob', `/approvals/${id}`);
    expect(json).toMatchObject({
      capability: 'http:POST /orders/:id/refund',
      action: {
        verb: 'Refund an order',
        reversible: false,
        arguments: { params: { id: '7' }, query: { notify: 'yes' }, body: { amount: 5 } },
      },
    });
    expect((await refund(undefined, undefined, { 'approval-id': id })).status).toBe(202);
    await desk.decide('bob', id);
    expect(idOf(await refund())).toBe(id);

    const done = await refund(undefined, undefined, { 'approval-id': id });
    expect([done.status, done.json]).toEqual([201, { refunded: 5 }]);
    const again = await refund(undefined, undefined, { 'approval-id': id });
    expect([again.status, reasonOf(again)]).toEqual([409, 'CONSUMED']);
    expect(ran).toEqual([{ id: '7', notify: 'yes', amount: 5 }]);
    expect(idOf(await refund())).not.toBe(id);
    const trail = desk.audit.filter(({ approvalId }) => approvalId === id).map(({ type }) => type);
    expect(trail).toEqual(expect.arrayContaining(['suspended', 'decided', 'started', 'completed', 'denied']));
  });

  it.each([
    ['another body', '/orders/8/refund?notify=yes', { amount: 6 }],
    ['a further field', '/orders/8/refund?notify=yes', { amount: 5, to: 'me' }],
    ['another path parameter', '/orders/9/refund?notify=yes', { amount: 5 }],
    ['another query', '/orders/8/refund?notify=no', { amount: 5 }],
  ])('refuses %s, without burning the approval', async (_name, path, body) => {
    const id = await approved('/orders/8/refund?notify=yes');
    const other = await refund(path, body, { 'approval-id': id });
    expect([other.status, reasonOf(other)]).toEqual([409, 'CAPABILITY_CHANGED']);
    expect(ran).toEqual([]);
    expect((await refund('/orders/8/refund?notify=yes', { amount: 5 }, { 'approval-id': id })).status).toBe(
      201,
    );
  });

  it('takes an approval of this route and this person only', async () => {
    const id = await approved('/orders/10/refund');
    const elsewhere = await desk.send('POST', '/orders/10/close', {
      as: 'alice',
      headers: { 'approval-id': id },
    });
    expect(elsewhere.status).toBe(404);
    const capability = await desk.ask();
    await desk.decide('bob', capability);
    expect((await refund('/orders/10/refund', undefined, { 'approval-id': capability })).status).toBe(404);
    expect((await refund('/orders/10/refund', undefined, { 'approval-id': 'nonsense' })).status).toBe(404);
    const bob = await desk.send('POST', '/orders/10/close', { as: 'bob', headers: { 'approval-id': id } });
    expect([bob.status, reasonOf(bob)]).toEqual([403, 'FORBIDDEN']);
    expect((await desk.execute('alice', id)).status).toBe(404);
    expect(ran).toEqual([]);
  });

  it('runs once for twenty at a time', async () => {
    const id = await approved('/orders/11/refund');
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => refund('/orders/11/refund', undefined, { 'approval-id': id })),
    );
    expect(replies.map(({ status }) => status).sort((a, b) => a - b)).toEqual([
      201,
      ...Array.from({ length: 19 }, () => 409),
    ]);
    expect(ran).toHaveLength(1);
  });

  it('keeps guards in front and self-approval out', async () => {
    expect((await refund('/orders/12/refund', undefined, {}, 'bob')).status).toBe(403);
    const id = idOf(await refund('/orders/12/refund'));
    expect(reasonOf(await desk.decide('alice-key', id))).toBe('SELF_APPROVAL');
    await desk.decide('bob', id);
    desk.people.disabled.add('bob');
    const reply = await refund('/orders/12/refund', undefined, { 'approval-id': id });
    desk.people.disabled.clear();
    expect([reply.status, reasonOf(reply)]).toEqual([403, 'APPROVAL_VOID']);
    expect(ran).toEqual([]);
  });

  it('tells who is unknown', async () => {
    for (const as of [null, 'guest']) {
      const reply = await desk.send('POST', '/orders/7/close', { as });
      expect([reply.status, reasonOf(reply), reply.headers['www-authenticate']]).toEqual([
        401,
        'UNAUTHENTICATED',
        'Bearer',
      ]);
    }
  });

  it('hands the handler’s own refusal on, and remembers it', async () => {
    const id = await approved('/orders/closed/refund');
    const reply = await refund('/orders/closed/refund', undefined, { 'approval-id': id });
    expect([reply.status, reply.json]).toMatchObject([400, { message: 'The order is closed' }]);
    expect((await desk.get('alice', `/approvals/${id}`)).json).toMatchObject({ state: 'failed' });
  });

  it('leaves a fault unknown', async () => {
    const id = await approved('/orders/broken/refund');
    const reply = await refund('/orders/broken/refund', undefined, { 'approval-id': id });
    expect(reply.status).toBe(500);
    expect(reply.text).not.toContain('postgres');
    expect((await desk.get('alice', `/approvals/${id}`)).json).toMatchObject({ state: 'unknown' });
  });

  it('refuses a body that nobody parsed before', async () => {
    const reply = await desk.send('POST', '/orders/7/close', {
      as: 'alice',
      body: '--x\r\n',
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
    });
    expect(reply.status).toBe(415);
    expect(ran).toEqual([]);
  });

  it.each(['outcome', 'call'])('answers 202 for a suspended %s of the runner', async (path) => {
    const reply = await desk.send('POST', `/proxy/${path}`, { as: 'alice' });
    expect(reply.status).toBe(202);
    expect(reply.json).toMatchObject({
      status: 'approval_required',
      links: { self: reply.headers['location'] },
    });
    expect((await desk.get('alice', '/proxy/plain')).json).toEqual({ status: 'suspended' });
  });
});

describe('an application that could not execute what it asks approval for', () => {
  it('does not start', async () => {
    @Controller('files')
    class FilesController {
      @Post()
      @RequireApproval({ quorum: 2, approvers: ['bob'], decideWithin: -1 })
      upload(): void {}
    }
    await expect(startRestApp('express', { controllers: [FilesController] })).rejects.toThrow(
      /FilesController\.upload[\s\S]*quorum[\s\S]*decideWithin[\s\S]*reload/,
    );
  });
});
