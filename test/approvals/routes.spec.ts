import { VersioningType } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { RestSurfaceModule } from 'nest-capabilities/rest';
import { ADAPTERS, type Reply } from '../rest/rest-app.js';
import { ResponseValidator } from '../support/response-validator.js';
import { type ApprovalsApp, reasonOf, REFUND, startApprovalsApp } from './approvals-app.js';

type Listed = {
  readonly approvals: readonly { readonly approvalId: string }[];
  readonly next: string | null;
};

describe.each(ADAPTERS)('the list of approvals on %s', (adapter) => {
  let desk: ApprovalsApp;
  let first: string;
  let second: string;
  let third: string;

  beforeAll(async () => {
    desk = await startApprovalsApp(adapter);
    first = await desk.ask({ orderId: 'a' });
    second = await desk.ask({ orderId: 'b' });
    third = await desk.ask({ orderId: 'c' });
    await desk.decide('bob', third);
  });
  afterAll(() => desk?.close());

  const ids = async (as: string, query = ''): Promise<string[]> => {
    const { json } = await desk.get(as, `/approvals${query}`);
    return (json as Listed).approvals.map(({ approvalId }) => approvalId);
  };

  it('shows each person what is theirs', async () => {
    expect(await ids('alice')).toEqual([third, second, first]);
    expect(await ids('alice', '?view=own&order=oldest')).toEqual([first, second, third]);
    expect(await ids('bob', '?view=decidable')).toEqual([second, first]);
    expect(await ids('alice', '?view=decidable')).toEqual([]);
    expect(await ids('carol')).toEqual([]);
    expect(await ids('auditor', '?view=all')).toEqual([third, second, first]);
    expect(reasonOf(await desk.get('bob', '/approvals?view=all'))).toBe('FORBIDDEN');
  });

  it('filters and pages', async () => {
    expect(await ids('bob', '?state=approved')).toEqual([third]);
    expect(await ids('bob', '?state=approved&state=pending&capability=refund.issue')).toEqual([
      third,
      second,
      first,
    ]);
    expect(await ids('bob', '?capability=orders.get')).toEqual([]);
    const { json } = await desk.get('alice', '/approvals?limit=2');
    const { next } = json as Listed;
    expect(await ids('alice', `?limit=2&cursor=${next}`)).toEqual([first]);
    expect(((await desk.get('alice', `/approvals?cursor=${next}`)).json as Listed).next).toBeNull();
  });

  it('says what can be done with each', async () => {
    const { json, headers } = await desk.get('alice', `/approvals/${third}`);
    expect(json).toMatchObject({ state: 'approved', links: { execute: `/approvals/${third}/execute` } });
    expect(headers['cache-control']).toBe('no-store');
  });

  it.each([
    ['?view=mine', 'view'],
    ['?state=open', 'state'],
    ['?limit=0', 'limit'],
    ['?limit=201', 'limit'],
    ['?limit=5&limit=6', 'limit'],
    ['?cursor=abc', 'cursor'],
    ['?page=2', 'page'],
  ])('refuses %s', async (query, field) => {
    const reply = await desk.get('alice', `/approvals${query}`);
    expect([reply.status, reply.json]).toMatchObject([400, { error: { reason: 'INPUT_INVALID', field } }]);
  });
});

describe.each(ADAPTERS)('where approvals are on %s', (adapter) => {
  const flowAt = async (desk: ApprovalsApp, prefix: string, origin = ''): Promise<void> => {
    const body = JSON.stringify(REFUND);
    const headers = { 'content-type': 'application/json' };
    const asked = await desk.send('POST', `${prefix}/capabilities/refund.issue`, {
      as: 'alice',
      body,
      headers,
    });
    expect(asked.status).toBe(202);
    const location = asked.headers['location']!;
    expect(location).toMatch(new RegExp(`^${origin}${prefix}/[a-z]+/[0-9a-f-]{36}$`));
    const path = location.slice(origin.length);
    expect((await desk.get('bob', path)).status).toBe(200);
    expect((await desk.get('bob', `${path}/page`)).status).toBe(200);
    await desk.post('bob', `${path}/decision`, { decision: 'approve' });
    expect((await desk.post('alice', `${path}/execute`)).status).toBe(200);
  };

  it('follows the global prefix, the version and its own path', async () => {
    const desk = await startApprovalsApp(adapter, {
      rest: { approvals: { path: '/reviews/' } },
      configure: (app) => {
        app.setGlobalPrefix('api');
        app.enableVersioning({ type: VersioningType.URI, defaultVersion: '2' });
      },
    });
    try {
      await flowAt(desk, '/api/v2');
    } finally {
      await desk.close();
    }
  });

  it('names its public address', async () => {
    const desk = await startApprovalsApp(adapter, {
      rest: { approvals: { publicUrl: 'https://desk.example.com/' } },
    });
    try {
      await flowAt(desk, '', 'https://desk.example.com');
    } finally {
      await desk.close();
    }
  });

  it('can be left out, with or without the page', async () => {
    const bare = await startApprovalsApp(adapter, { rest: { approvals: false } });
    const paged = await startApprovalsApp(adapter, { rest: { approvals: { page: false } } });
    try {
      const asked = await bare.call('refund.issue', REFUND, { as: 'alice' });
      expect([asked.status, asked.headers['location']]).toEqual([202, undefined]);
      expect((await bare.get('alice', '/approvals')).status).toBe(404);
      const id = await paged.ask();
      expect((await paged.get('bob', `/approvals/${id}/page`)).status).toBe(404);
      const { json } = await paged.get('bob', `/approvals/${id}`);
      expect((json as { links: object }).links).not.toHaveProperty('decision');
    } finally {
      await bare.close();
      await paged.close();
    }
  });

  it.each([
    [{ path: 'a/:b' }, 'approvals.path'],
    [{ path: 'capabilities/approvals' }, 'approvals.path'],
    [{ publicUrl: 'desk.example.com' }, 'approvals.publicUrl'],
    [{ formSecret: 'short' }, 'approvals.formSecret'],
  ])('does not start with %j', async (approvals, named) => {
    await expect(startApprovalsApp(adapter, { rest: { approvals } })).rejects.toThrow(named);
  });

  it('is the same when imported twice with the same options', async () => {
    const rest = { approvals: { path: 'reviews' } };
    const desk = await startApprovalsApp(adapter, { rest, imports: [RestSurfaceModule.forRoot(rest)] });
    try {
      await flowAt(desk, '');
    } finally {
      await desk.close();
    }
  });
});

describe('approvals in the OpenAPI document', () => {
  it('describes what the routes answer', async () => {
    let validator: ResponseValidator | undefined;
    const desk = await startApprovalsApp('express', {
      configure: (app) => {
        const config = new DocumentBuilder().addBearerAuth().build();
        validator = new ResponseValidator(SwaggerModule.createDocument(app, config));
      },
    });
    const problems: string[] = [];
    const check = (method: string, template: string, { status, text }: Reply): void => {
      problems.push(...validator!.problems(method, template, status, text));
    };
    try {
      const id = await desk.ask();
      check('POST', '/approvals/{id}/execute', await desk.execute('alice', id));
      check('GET', '/approvals', await desk.get('bob', '/approvals'));
      check('GET', '/approvals', await desk.get(null, '/approvals'));
      check('GET', '/approvals/{id}', await desk.get('bob', `/approvals/${id}`));
      check('POST', '/approvals/{id}/decision', await desk.decide('alice', id));
      check('POST', '/approvals/{id}/decision', await desk.decide('bob', id, 'maybe'));
      check('POST', '/approvals/{id}/decision', await desk.decide('bob', id, 'approve', { reason: 'Fine' }));
      check('POST', '/approvals/{id}/decision', await desk.decide('dave', id));
      check('POST', '/approvals/{id}/execute', await desk.execute('alice', id));
      check('POST', '/approvals/{id}/execute', await desk.execute('alice', id));
      check('GET', '/approvals/{id}/outcome', await desk.get('alice', `/approvals/${id}/outcome`));
      check(
        'POST',
        '/approvals/{id}/cancel',
        await desk.post('alice', `/approvals/${await desk.ask()}/cancel`),
      );
      check('POST', '/approvals/{id}/cancel', await desk.post('alice', `/approvals/${id}/cancel`));
      check('GET', '/approvals/{id}', await desk.get('alice', `/approvals/${id}`));
      check('GET', '/approvals/{id}', await desk.get('carol', `/approvals/${id}`));
    } finally {
      await desk.close();
    }
    expect(problems).toEqual([]);
  });

  it('documents every route but the page', async () => {
    let paths: Record<string, Record<string, unknown>> = {};
    let schemas: Record<string, unknown> = {};
    const desk = await startApprovalsApp('express', {
      configure: (app) => {
        const document = SwaggerModule.createDocument(app, new DocumentBuilder().addBearerAuth().build());
        paths = document.paths as unknown as typeof paths;
        schemas = document.components?.schemas ?? {};
      },
    });
    await desk.close();
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [`${method} ${path}`, operation] as const),
    );
    const approvals = operations.filter(([name]) => name.includes('/approvals'));
    expect(
      approvals.map(([name, operation]) => [name, (operation as { operationId: string }).operationId]),
    ).toEqual([
      ['get /approvals', 'approvals_list'],
      ['get /approvals/{id}', 'approvals_get'],
      ['post /approvals/{id}/decision', 'approvals_decide'],
      ['post /approvals/{id}/execute', 'approvals_execute'],
      ['post /approvals/{id}/cancel', 'approvals_cancel'],
      ['get /approvals/{id}/outcome', 'approvals_outcome'],
      ['post /approvals/{id}/resolution', 'approvals_resolve'],
    ]);
    for (const [, operation] of approvals) expect(operation).toMatchObject({ tags: ['approvals'] });
    expect(
      Object.keys((paths['/approvals/{id}/execute']!['post'] as { responses: object }).responses),
    ).toEqual(expect.arrayContaining(['200', '202', '401', '403', '404', '409', '410']));
    expect(schemas).toHaveProperty('Approval');
    expect(schemas).toHaveProperty('CapabilityApprovalRequired');
  });
});
