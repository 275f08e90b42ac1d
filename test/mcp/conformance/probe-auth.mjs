#!/usr/bin/env node
// Resource-server auth probes (the conformance suite has NO server-side auth scenarios: its auth/* set tests clients).
// usage: node probe-auth.mjs URL --good TOK --expired TOK --wrong-aud TOK --low TOK --scoped-tool NAME --scope "a b"
//   --good: valid for this resource with every scope; --low: valid, lacking the tool's scope. Omit a flag to skip its probes.
const url = new URL(process.argv[2]);
const arg = (n) => {
  const i = process.argv.indexOf(n);
  return i > 0 ? process.argv[i + 1] : undefined;
};
const V = '2026-07-28',
  P = 'io.modelcontextprotocol/';
const meta = { [P + 'protocolVersion']: V, [P + 'clientCapabilities']: {} };
const post = async (tok, method = 'tools/list', params = {}, era = 'modern', u = url) => {
  const h = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(tok ? { authorization: `Bearer ${tok}` } : {}),
    'mcp-protocol-version': era === 'modern' ? V : '2025-11-25',
    ...(era === 'modern'
      ? { 'mcp-method': method, ...(params.name ? { 'mcp-name': params.name } : {}) }
      : {}),
  };
  const r = await fetch(u, {
    method: 'POST',
    headers: h,
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method,
      params: era === 'modern' ? { ...params, _meta: meta } : params,
    }),
  });
  return {
    status: r.status,
    www: r.headers.get('www-authenticate') ?? '',
    cache: r.headers.get('cache-control'),
    text: await r.text(),
  };
};
const chal = (w) => {
  const o = { scheme: w.split(/\s/)[0] };
  for (const m of w.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/gi)) o[m[1].toLowerCase()] = m[2];
  return o;
};
let bad = 0;
const t = (lvl, name, ok, info = '') => {
  if (!ok && lvl === 'MUST') bad++;
  console.log(
    `${ok ? 'ok  ' : 'FAIL'} ${lvl.padEnd(6)} ${name}${ok ? '' : '   ' + String(info).slice(0, 160)}`,
  );
};
for (const era of ['modern', 'legacy']) {
  const r = await post(undefined, 'tools/list', {}, era),
    c = chal(r.www);
  t('MUST', `A01 ${era}: no token -> 401`, r.status === 401, r.status);
  t('MUST', `A02 ${era}: WWW-Authenticate scheme Bearer`, /^Bearer\b/i.test(r.www), r.www);
  t(
    'MUST',
    `A03 ${era}: resource_metadata in the challenge (or well-known served, see A05)`,
    !!c.resource_metadata,
    r.www,
  );
  t('SHOULD', `A04 ${era}: scope in the 401 challenge`, !!c.scope, r.www);
}
const wk = new URL(`/.well-known/oauth-protected-resource${url.pathname === '/' ? '' : url.pathname}`, url);
const root = new URL('/.well-known/oauth-protected-resource', url);
const get = async (u) => {
  const r = await fetch(u);
  let j;
  try {
    j = await r.json();
  } catch {}
  return { status: r.status, j, ct: r.headers.get('content-type') ?? '' };
};
const a = await get(wk),
  b = await get(root),
  c0 = chal((await post()).www);
const m = c0.resource_metadata ? await get(c0.resource_metadata) : a;
t(
  'MUST',
  'A05 PRM reachable without a token via challenge URL or a well-known location',
  m.status === 200 || a.status === 200 || b.status === 200,
  `${m.status}/${a.status}/${b.status}`,
);
const d = m.j ?? a.j ?? b.j ?? {};
t('MUST', 'A06 PRM content-type application/json', /application\/json/.test(m.ct || a.ct), m.ct);
t(
  'MUST',
  'A07 PRM.resource identifies this endpoint (RFC 9728 3.3: equal to the URL the well-known was derived from)',
  [url.href, url.href.replace(/\/$/, ''), url.origin, url.origin + '/'].includes(d.resource),
  d.resource,
);
t(
  'MUST',
  'A08 PRM.authorization_servers has >= 1 entry',
  Array.isArray(d.authorization_servers) && d.authorization_servers.length > 0,
);
t(
  'SHOULD',
  'A09 no offline_access in scopes_supported or challenges',
  !(d.scopes_supported ?? []).includes('offline_access') && !/offline_access/.test(c0.scope ?? ''),
);
for (const [flag, name] of [
  ['--expired', 'A10 expired token'],
  ['--wrong-aud', 'A11 token for another audience'],
]) {
  const tok = arg(flag);
  if (tok) {
    const r = await post(tok);
    t(
      'MUST',
      `${name} -> 401 error="invalid_token"`,
      r.status === 401 && chal(r.www).error === 'invalid_token',
      `${r.status} ${r.www}`,
    );
  }
}
{
  const r = await post('garbage.token.value');
  t('MUST', 'A12 unknown token -> 401 (not 500)', r.status === 401, r.status);
}
const good = arg('--good');
if (good) {
  const r = await post(good);
  t('MUST', 'A13 good token -> 200', r.status === 200, r.text);
  const q = new URL(url);
  q.searchParams.set('access_token', good);
  t(
    'MUST',
    'A14 token in the query string is not accepted',
    (await post(undefined, 'tools/list', {}, 'modern', q)).status === 401,
  );
  const r2 = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Basic ${Buffer.from('x:' + good).toString('base64')}`,
    },
    body: '{}',
  });
  t('MUST', 'A15 non-Bearer scheme -> 401', r2.status === 401, r2.status);
}
const low = arg('--low'),
  tool = arg('--scoped-tool'),
  scope = arg('--scope');
if (low && tool)
  for (const era of ['modern', 'legacy']) {
    const r = await post(low, 'tools/call', { name: tool, arguments: {} }, era),
      c = chal(r.www);
    t('SHOULD', `A16 ${era}: insufficient scope -> 403`, r.status === 403, `${r.status} ${r.text}`);
    t(
      'SHOULD',
      `A17 ${era}: error="insufficient_scope", scope lists every scope the call needs, resource_metadata present`,
      c.error === 'insufficient_scope' &&
        (!scope || scope.split(' ').every((s) => (c.scope ?? '').split(' ').includes(s))) &&
        !!c.resource_metadata,
      r.www,
    );
  }
process.exit(bad ? 1 : 0);
