import { gzipSync } from 'node:zlib';
import { Body, Controller, HttpCode, Injectable, Post } from '@nestjs/common';
import { Capability, CapabilityHost } from 'nest-capabilities';
import { z } from 'zod';
import { ADAPTERS, type Reply, type RestApp, type SendOptions, startRestApp } from './rest-app.js';

const LIMIT = 2_048;
let ran = 0;

@Injectable()
@CapabilityHost({ namespace: 'notes', expose: ['rest'], risk: 'low', permission: 'docs:write' })
class NotesService {
  @Capability.write({
    description: 'Adds a note.',
    inputSchema: z.looseObject({
      text: z.string().optional(),
      n: z.number().optional(),
      deep: z.unknown().optional(),
    }),
  })
  add(input: Record<string, unknown>): unknown {
    ran += 1;
    return input;
  }

  @Capability.write({ description: 'Needs a text.', inputSchema: z.object({ text: z.string() }) })
  need(input: { text: string }): unknown {
    ran += 1;
    return input;
  }
}

/** The application's own route, which keeps its ordinary parsing. */
@Controller('own')
class OwnController {
  @Post('echo')
  @HttpCode(200)
  echo(@Body() body: unknown): unknown {
    return { got: body };
  }
}

const json = { 'content-type': 'application/json' };
const sent = (body: string | Buffer, headers: Record<string, string> = json): SendOptions => ({
  body,
  headers,
});

describe.each(ADAPTERS)('request bodies on %s (SI-12)', (adapter) => {
  let rest: RestApp;
  const add = (options: SendOptions): Promise<Reply> => rest.send('POST', '/capabilities/notes.add', options);
  const need = (options: SendOptions): Promise<Reply> =>
    rest.send('POST', '/capabilities/notes.need', options);

  beforeAll(async () => {
    rest = await startRestApp(adapter, {
      providers: [NotesService],
      controllers: [OwnController],
      rest: { bodyLimit: LIMIT },
    });
  });
  afterAll(() => rest?.close());
  beforeEach(() => (ran = 0));

  const nested = (depth: number): string => `{"deep":${'['.repeat(depth)}${']'.repeat(depth)}}`;

  it.each<[string, string | Buffer]>([
    ['malformed JSON', '{"text": S3CRET'],
    ['two values', '{}{}'],
    ['an own __proto__ key', '{"__proto__":{"isAdmin":true}}'],
    ['constructor.prototype', '{"constructor":{"prototype":{"x":1}}}'],
    ['duplicate keys', '{"text":"a","text":"b"}'],
    ['1e400', '{"n":1e400}'],
    ['an integer beyond doubles', '{"n":9007199254740993}'],
    ['invalid UTF-8', Buffer.from('7b2274657874223a22c3287d', 'hex')],
    ['overlong UTF-8', Buffer.from([...Buffer.from('{"text":"'), 0xc0, 0xaf, ...Buffer.from('"}')])],
    ['a byte order mark', '\ufeff{}'],
    ['a lone surrogate', '{"text":"\\ud800"}'],
    ['NUL', '{"text":"\\u0000"}'],
    ['depth 65', nested(65)],
  ])('refuses %s with 400, without an echo', async (_what, body) => {
    const reply = await add(sent(body));
    expect(reply.status).toBe(400);
    expect(reply.json).toMatchObject({ error: { code: 'VALIDATION', reason: 'INPUT_INVALID' } });
    expect(reply.text).not.toContain('S3CRET');
    expect(({} as Record<string, unknown>)['isAdmin']).toBeUndefined();
    expect(ran).toBe(0);
  });

  it('accepts depth 64 with everything below the root counted', async () => {
    expect((await add(sent(nested(63)))).status).toBe(200);
  });

  it.each(['null', '[]', '"{}"', '7'])('refuses the root %s with 400', async (body) => {
    expect((await add(sent(body))).status).toBe(400);
    expect(ran).toBe(0);
  });

  it.each([
    ['no content type', {}, 200],
    ['a JSON content type', json, 200],
    ['another content type', { 'content-type': 'text/plain' }, 415],
  ])('takes an empty body with %s for what it is', async (_what, headers, status) => {
    expect((await add({ headers })).status).toBe(status);
    expect((await add({ headers, body: '' })).status).toBe(status);
  });

  it('names the field that an absent input lacks', async () => {
    const reply = await need({});
    expect([reply.status, reply.json]).toMatchObject([400, { error: { field: 'text' } }]);
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/xml',
    'multipart/form-data; boundary=x',
    'application/json; charset=utf-16',
    'application/json; charset=bogus',
    'application/json; charset=latin1',
    'application/vnd.api+json',
    'nonsense',
  ])('answers 415 for %s', async (type) => {
    const reply = await add(sent('{"text":"a"}', { 'content-type': type }));
    expect(reply.status).toBe(415);
    expect(reply.json).toMatchObject({ error: { reason: 'MEDIA_TYPE' } });
    expect(ran).toBe(0);
  });

  it('answers 415 for a body without a content type', async () => {
    expect((await add(sent('{}', {}))).status).toBe(415);
  });

  it.each(['application/json; charset=utf-8', 'application/JSON;charset="UTF-8"', 'application/json;'])(
    'accepts %s',
    async (type) => {
      expect((await add(sent('{"text":"ä"}', { 'content-type': type }))).json).toEqual({ text: 'ä' });
    },
  );

  it('answers 413 beyond the limit and accepts the limit itself', async () => {
    const body = (size: number): string => `{"text":"${'x'.repeat(size - 11)}"}`;
    expect((await add(sent(body(LIMIT)))).status).toBe(200);
    const reply = await add(sent(body(LIMIT + 1)));
    expect([reply.status, reply.json]).toMatchObject([413, { error: { reason: 'TOO_LARGE' } }]);
    const chunked = { ...json, 'transfer-encoding': 'chunked' };
    expect((await add(sent(body(LIMIT + 1), chunked))).status).toBe(413);
    expect((await add(sent(body(400_000)))).status).toBe(413);
    expect(ran).toBe(1);
  });

  it('answers 415 for an encoded body, however small', async () => {
    const gzip = { ...json, 'content-encoding': 'gzip' };
    expect((await add(sent(gzipSync('{"text":"a"}'), gzip))).status).toBe(415);
    expect((await add(sent(gzipSync(Buffer.alloc(10_000_000)), gzip))).status).toBe(415);
    expect((await add(sent('{"text":"a"}', { ...json, 'content-encoding': 'identity' }))).status).toBe(200);
  });

  it.each<[string, SendOptions]>([
    ['malformed', sent('{')],
    ['wrong media type', sent('<a/>', { 'content-type': 'application/xml' })],
    ['oversize', sent('x'.repeat(LIMIT * 3))],
    ['encoded', sent(gzipSync('{}'), { ...json, 'content-encoding': 'gzip' })],
  ])('judges a %s body after credentials and permission', async (_what, options) => {
    expect((await need({ ...options, as: null })).status).toBe(401);
    expect((await need({ ...options, as: 'reader' })).status).toBe(403);
    expect((await need(options)).status).toBeGreaterThanOrEqual(400);
    expect(ran).toBe(0);
  });

  it('keeps serving after a hostile body', async () => {
    await add(sent(nested(49_000)));
    expect((await add(sent('{"text":"a"}'))).status).toBe(200);
  });

  it('leaves the parsing of other routes alone', async () => {
    const own = (options: SendOptions): Promise<Reply> => rest.send('POST', '/own/echo', options);
    expect((await own(sent('{"a":1,"a":2}'))).json).toEqual({ got: { a: 2 } });
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await own(sent('a=1&b=2', form))).json).toEqual({ got: { a: '1', b: '2' } });
    expect((await own(sent(`{"a":"${'x'.repeat(LIMIT * 2)}"}`))).status).toBe(200);
    expect((await own(sent('{'))).json).toMatchObject({ statusCode: 400 });
  });
});

describe.each(ADAPTERS)('the body limit on %s', (adapter) => {
  it('is 256 KiB by default, within which depth 49 000 is a 400 and the next call works', async () => {
    const rest = await startRestApp(adapter, { providers: [NotesService] });
    const deep = `{"deep":${'['.repeat(49_000)}${']'.repeat(49_000)}}`;
    const post = (body: string): Promise<Reply> => rest.send('POST', '/capabilities/notes.add', sent(body));
    expect((await post(deep)).json).toMatchObject({ error: { reason: 'INPUT_INVALID' } });
    expect((await post(`{"text":"${'x'.repeat(262_144 - 11)}"}`)).status).toBe(200);
    expect((await post(`{"text":"${'x'.repeat(262_145 - 11)}"}`)).status).toBe(413);
    await rest.close();
  });

  it.each([0, -1, 1.5, Number.NaN, 'abc'])('refuses to start with %p', async (bodyLimit) => {
    const rest = { bodyLimit: bodyLimit as number };
    await expect(startRestApp(adapter, { providers: [NotesService], rest })).rejects.toThrow(/bodyLimit/);
  });
});
