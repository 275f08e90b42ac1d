#!/usr/bin/env node
// Dual-era black-box probes that the conformance suite does not score (or does not make).
// usage: node probe-matrix.mjs http://localhost:3000/mcp [--tool test_simple_text] [--only M12] [--token TOKEN]   (--only: name prefix)
// Level: MUST / SHOULD (spec keyword or schema) or SDK (what @modelcontextprotocol/server 2.4.0 or the conformance suite does; spec silent or addresses the client only).
import http from 'node:http';
const url = new URL(process.argv[2] ?? 'http://localhost:3000/mcp');
const arg = (n, d) => {
  const i = process.argv.indexOf(n);
  return i > 0 ? process.argv[i + 1] : d;
};
const TOOL = arg('--tool', 'test_simple_text');
const TOKEN = arg('--token');
const V = '2026-07-28',
  P = 'io.modelcontextprotocol/';
const meta = {
  [P + 'protocolVersion']: V,
  [P + 'clientInfo']: { name: 'probe', version: '1' },
  [P + 'clientCapabilities']: {},
};
const B64 = (s) => `=?base64?${Buffer.from(s).toString('base64')}?=`;
function send({ method = 'POST', headers = {}, body, raw, timeout = 3000 }) {
  return new Promise((resolve) => {
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const req = http.request(
      {
        hostname: url.hostname,
        port: url.port,
        path: url.pathname,
        method,
        headers: {
          ...(TOKEN === undefined ? {} : { authorization: `Bearer ${TOKEN}` }),
          ...(payload !== undefined ? { 'content-length': Buffer.byteLength(payload) } : {}),
          ...headers,
        },
      },
      (res) => {
        let d = '';
        res.setEncoding('utf8');
        res.on('data', (c) => {
          d += c;
        });
        const fin = () => {
          let j;
          const ct = res.headers['content-type'] ?? '';
          if (ct.includes('event-stream')) {
            const ms = d
              .split('\n')
              .filter((l) => l.startsWith('data:'))
              .map((l) => {
                try {
                  return JSON.parse(l.slice(5));
                } catch {}
              })
              .filter(Boolean);
            j = ms.find((m) => 'result' in m || 'error' in m) ?? ms[0];
            return resolve({ status: res.statusCode, headers: res.headers, j, msgs: ms, text: d });
          }
          try {
            j = JSON.parse(d);
          } catch {}
          resolve({ status: res.statusCode, headers: res.headers, j, text: d });
        };
        res.on('end', fin);
        setTimeout(() => {
          req.destroy();
          fin();
        }, timeout).unref();
      },
    );
    req.on('error', (e) => resolve({ status: 0, headers: {}, text: String(e) }));
    if (payload !== undefined) req.write(payload);
    req.end();
  });
}
const H = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const mod = (m, params = {}, h = {}, o = {}) =>
  send({
    headers: {
      ...H,
      'MCP-Protocol-Version': V,
      'Mcp-Method': m,
      ...(params.name ? { 'Mcp-Name': params.name } : params.uri ? { 'Mcp-Name': params.uri } : {}),
      ...h,
    },
    body: {
      jsonrpc: '2.0',
      id: o.id ?? 7,
      method: m,
      params: o.noMeta ? params : { ...params, _meta: { ...meta, ...o.meta } },
    },
    ...o.send,
  });
const without = (hs, ...names) => Object.fromEntries(Object.entries(hs).filter(([k]) => !names.includes(k)));
const modRaw = (headers, body) => send({ headers: { ...H, ...headers }, body });
let SID; // legacy session id, when the server mints one at initialize (sessionful servers)
const sid = () => (SID ? { 'Mcp-Session-Id': SID } : {});
const leg = (m, params, h = {}) =>
  send({
    headers: { ...H, ...(m === 'initialize' ? {} : sid()), ...h },
    body: { jsonrpc: '2.0', id: 7, method: m, ...(params ? { params } : {}) },
  });
const code = (r) => r.j?.error?.code;
const is = (st, c) => (r) => r.status === st && (c === undefined || code(r) === c);
const callBody = (over = {}) => ({
  jsonrpc: '2.0',
  id: 7,
  method: 'tools/call',
  params: { name: TOOL, arguments: {}, _meta: { ...meta }, ...over },
});
const callH = { 'MCP-Protocol-Version': V, 'Mcp-Method': 'tools/call', 'Mcp-Name': TOOL };
const T = [];
const t = (lvl, name, run, ok) => T.push({ lvl, name, run, ok });
// --- modern
t(
  'MUST',
  'M01 server/discover answers supportedVersions+capabilities, resultType complete, ttlMs, cacheScope',
  () => mod('server/discover'),
  (r) =>
    r.status === 200 &&
    r.j.result.supportedVersions.includes(V) &&
    r.j.result.resultType === 'complete' &&
    Number.isInteger(r.j.result.ttlMs) &&
    r.j.result.ttlMs >= 0 &&
    /^(public|private)$/.test(r.j.result.cacheScope),
);
t(
  'SHOULD',
  'M02 serverInfo in every result _meta',
  () => mod('tools/list'),
  (r) => !!r.j?.result?._meta?.[P + 'serverInfo']?.version,
);
t(
  'MUST',
  'M03 body _meta modern, MCP-Protocol-Version header absent -> 400 -32020',
  () => modRaw(without(callH, 'MCP-Protocol-Version'), callBody()),
  is(400, -32020),
);
t(
  'MUST',
  'M04 Mcp-Method absent -> 400 -32020',
  () => modRaw(without(callH, 'Mcp-Method'), callBody()),
  is(400, -32020),
);
t(
  'MUST',
  'M05 Mcp-Method value differs only in case -> 400 -32020',
  () => modRaw({ ...callH, 'Mcp-Method': 'Tools/Call' }, callBody()),
  is(400, -32020),
);
t(
  'MUST',
  'M06 Mcp-Name absent on tools/call -> 400 -32020',
  () => modRaw(without(callH, 'Mcp-Name'), callBody()),
  is(400, -32020),
);
t(
  'MUST',
  'M07 Mcp-Name mismatch -> 400 -32020',
  () => modRaw({ ...callH, 'Mcp-Name': 'other' }, callBody()),
  is(400, -32020),
);
t(
  'MUST',
  'M08 Mcp-Name base64 sentinel is decoded before compare',
  () => modRaw({ ...callH, 'Mcp-Name': B64(TOOL) }, callBody()),
  (r) => r.status === 200 && !!r.j?.result,
);
t(
  'MUST',
  'M09 Mcp-Name with broken base64 sentinel -> 400 -32020',
  () => modRaw({ ...callH, 'Mcp-Name': '=?base64?SGV!!?=' }, callBody()),
  is(400, -32020),
);
t(
  'MUST',
  'M10 Mcp-Name absent on resources/read -> 400 -32020',
  () =>
    modRaw(
      { 'MCP-Protocol-Version': V, 'Mcp-Method': 'resources/read' },
      { jsonrpc: '2.0', id: 7, method: 'resources/read', params: { uri: 'test://x', _meta: meta } },
    ),
  is(400, -32020),
);
t(
  'MUST',
  'M11 header/body version mismatch -> 400 -32020',
  () => mod('tools/list', {}, { 'MCP-Protocol-Version': '2025-11-25' }),
  is(400, -32020),
);
t(
  'MUST',
  'M12 unknown version (header=body) -> 400 -32022 {supported,requested}',
  () =>
    mod(
      'tools/list',
      {},
      { 'MCP-Protocol-Version': '2099-01-01' },
      { meta: { [P + 'protocolVersion']: '2099-01-01' } },
    ),
  (r) =>
    is(400, -32022)(r) &&
    Array.isArray(r.j.error.data.supported) &&
    r.j.error.data.requested === '2099-01-01',
);
t(
  'MUST',
  'M13 _meta without clientCapabilities -> 400 -32602',
  () => mod('tools/list', {}, {}, { meta: { [P + 'clientCapabilities']: undefined } }),
  is(400, -32602),
);
t(
  'MUST',
  'M14 modern header, no _meta -> 400 -32602',
  () => mod('tools/list', {}, {}, { noMeta: true }),
  is(400, -32602),
);
t(
  'MUST',
  'M15 no clientInfo is served',
  () => mod('tools/list', {}, {}, { meta: { [P + 'clientInfo']: undefined } }),
  (r) => r.status === 200 && !!r.j?.result,
);
t('MUST', 'M16 unknown method -> 404 -32601', () => mod('nope/nope'), is(404, -32601));
t('MUST', 'M17 ping is gone -> 404 -32601', () => mod('ping'), is(404, -32601));
t('MUST', 'M18 initialize carrying modern _meta -> 404 -32601', () => mod('initialize'), is(404, -32601));
t(
  'MUST',
  'M19 unknown tool -> JSON-RPC error -32602 (never isError result)',
  () => mod('tools/call', { name: 'no_such_tool_zz', arguments: {} }),
  (r) => code(r) === -32602,
);
t(
  'SDK',
  'M20 ... and that error rides HTTP 200',
  () => mod('tools/call', { name: 'no_such_tool_zz', arguments: {} }),
  (r) => r.status === 200,
);
t(
  'MUST',
  'M21 string id echoed',
  () => mod('tools/list', {}, {}, { id: 'abc-1' }),
  (r) => r.j?.id === 'abc-1',
);
t(
  'MUST',
  'M22 id 0 echoed',
  () =>
    modRaw(
      { 'MCP-Protocol-Version': V, 'Mcp-Method': 'tools/list' },
      { jsonrpc: '2.0', id: 0, method: 'tools/list', params: { _meta: meta } },
    ),
  (r) => r.j?.id === 0 && !!r.j?.result,
);
t(
  'SDK',
  'M23 id null is refused (4xx)',
  () =>
    modRaw(
      { 'MCP-Protocol-Version': V, 'Mcp-Method': 'tools/list' },
      { jsonrpc: '2.0', id: null, method: 'tools/list', params: { _meta: meta } },
    ),
  (r) => r.status >= 400 && r.status < 500,
);
t(
  'SDK',
  'M24 batch array with a modern element -> 4xx',
  () =>
    modRaw({ 'MCP-Protocol-Version': V, 'Mcp-Method': 'tools/list' }, [
      { jsonrpc: '2.0', id: 7, method: 'tools/list', params: { _meta: meta } },
    ]),
  (r) => r.status >= 400 && r.status < 500,
);
t(
  'MUST',
  'M25 accepted notification -> 202 empty body',
  () =>
    modRaw(
      { 'MCP-Protocol-Version': V, 'Mcp-Method': 'notifications/cancelled' },
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
    ),
  (r) => r.status === 202 && r.text === '',
);
t(
  'SHOULD',
  'M26 Mcp-Session-Id on a modern request is ignored and never minted/echoed',
  () => mod('tools/list', {}, { 'Mcp-Session-Id': 'zzz' }),
  (r) => r.status === 200 && r.headers['mcp-session-id'] === undefined,
);
t(
  'MUST',
  'M27 foreign Origin -> 403',
  () => mod('tools/list', {}, { Origin: 'http://evil.example.com' }),
  is(403),
);
t('MUST', 'M28 unparsable Origin ("null") -> 403', () => mod('tools/list', {}, { Origin: 'null' }), is(403));
t('MUST', 'M29 no Origin header is served', () => mod('tools/list'), is(200));
t(
  'SDK',
  'M30 foreign Host on a loopback server -> 4xx',
  () => mod('tools/list', {}, { Host: 'evil.example.com' }),
  (r) => r.status >= 400 && r.status < 500,
);
t(
  'MUST',
  'M31 tools/list deterministic order, complete, ttlMs/cacheScope present',
  () => mod('tools/list'),
  (r) =>
    r.j?.result?.resultType === 'complete' &&
    Number.isInteger(r.j.result.ttlMs) &&
    /^(public|private)$/.test(r.j.result.cacheScope),
);
t(
  'MUST',
  'M32 every inputSchema is an object schema with root type object',
  () => mod('tools/list'),
  (r) => r.j.result.tools.every((x) => x.inputSchema?.type === 'object'),
);
t(
  'SHOULD',
  'M33 invalid cursor -> -32602',
  () => mod('tools/list', { cursor: '@@not-a-cursor@@' }),
  (r) => code(r) === -32602,
);
t(
  'SHOULD',
  'M34 malformed JSON -> 400 with a JSON-RPC -32700 body (body parsers in front often answer HTML/framework JSON instead)',
  () =>
    send({ headers: { ...H, 'MCP-Protocol-Version': V, 'Mcp-Method': 'tools/list' }, raw: '{"jsonrpc":' }),
  is(400, -32700),
);
t(
  'SDK',
  'M35 Content-Type other than application/json -> 415',
  () =>
    send({
      headers: { ...H, 'content-type': 'text/plain', 'MCP-Protocol-Version': V, 'Mcp-Method': 'tools/list' },
      raw: '{}',
    }),
  is(415),
);
t(
  'SHOULD',
  'M36 SSE responses carry X-Accel-Buffering: no; listen acks first with subscriptionId = request id',
  () =>
    mod(
      'subscriptions/listen',
      { notifications: { toolsListChanged: true } },
      {},
      { id: 'sub-1', send: { timeout: 700 } },
    ),
  (r) =>
    code(r) === -32601 ||
    (r.headers['x-accel-buffering'] === 'no' &&
      r.msgs?.[0]?.method === 'notifications/subscriptions/acknowledged' &&
      r.msgs[0].params._meta[P + 'subscriptionId'] === 'sub-1'),
);
t(
  'MUST',
  'M37 listen without params.notifications -> error -32602',
  () => mod('subscriptions/listen', {}, {}, { send: { timeout: 700 } }),
  (r) => code(r) === -32602 || code(r) === -32601,
);
t(
  'MUST',
  'M38 listCapabilities: prompts/list without prompts capability -> 404 -32601; with it -> result',
  () => mod('prompts/list'),
  (r) => (r.status === 404 && code(r) === -32601) || !!r.j?.result?.prompts,
);
t(
  'MUST',
  'M39 tools/call result has content[] and resultType',
  () => mod('tools/call', { name: TOOL, arguments: {} }),
  (r) => Array.isArray(r.j?.result?.content) && r.j.result.resultType === 'complete',
);
t(
  'SHOULD',
  'M40 unrecognised logLevel -> -32602',
  () => mod('tools/call', { name: TOOL, arguments: {} }, {}, { meta: { [P + 'logLevel']: 'loud' } }),
  (r) => code(r) === -32602,
);
// --- legacy
t(
  'MUST',
  'L01 initialize 2025-11-25 -> same version',
  () =>
    leg('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'p', version: '1' },
    }),
  (r) => r.j?.result?.protocolVersion === '2025-11-25',
);
t(
  'MUST',
  'L02 initialize 2025-06-18 -> same version',
  () =>
    leg('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'p', version: '1' },
    }),
  (r) => r.j?.result?.protocolVersion === '2025-06-18',
);
t(
  'MUST',
  'L03 initialize 2025-03-26 -> same version (if supported) or another legacy version',
  () =>
    leg('initialize', {
      protocolVersion: '2025-03-26',
      capabilities: {},
      clientInfo: { name: 'p', version: '1' },
    }),
  (r) => /^202[45]-/.test(r.j?.result?.protocolVersion ?? ''),
);
t(
  'SHOULD',
  'L04 initialize unknown version -> latest legacy version (2025-11-25), not an error, never 2026-07-28',
  () =>
    leg('initialize', {
      protocolVersion: '2099-01-01',
      capabilities: {},
      clientInfo: { name: 'p', version: '1' },
    }),
  (r) => r.j?.result?.protocolVersion === '2025-11-25',
);
t(
  'MUST',
  'L05 initialize asking 2026-07-28 (no _meta) -> a legacy version',
  () => leg('initialize', { protocolVersion: V, capabilities: {}, clientInfo: { name: 'p', version: '1' } }),
  (r) => r.j?.result?.protocolVersion === '2025-11-25',
);
t(
  'MUST',
  'L06 notifications/initialized -> 202 empty',
  () =>
    send({
      headers: { ...H, ...sid(), 'MCP-Protocol-Version': '2025-11-25' },
      body: { jsonrpc: '2.0', method: 'notifications/initialized' },
    }),
  (r) => r.status === 202 && r.text === '',
);
t(
  'MUST',
  'L07 ping -> {}',
  () => leg('ping', undefined, { 'MCP-Protocol-Version': '2025-11-25' }),
  (r) => r.j && JSON.stringify(r.j.result) === '{}',
);
t(
  'SHOULD',
  'L08 no MCP-Protocol-Version header -> served as 2025-03-26',
  () => leg('tools/list', {}),
  (r) => r.status === 200 && Array.isArray(r.j?.result?.tools),
);
t(
  'MUST',
  'L09 unsupported MCP-Protocol-Version (no _meta) -> 400',
  () => leg('tools/list', {}, { 'MCP-Protocol-Version': '1999-01-01' }),
  is(400),
);
t(
  'MUST',
  'L10 GET -> 405 or an SSE stream',
  () =>
    send({
      method: 'GET',
      headers: { accept: 'text/event-stream', ...sid(), 'MCP-Protocol-Version': '2025-11-25' },
      timeout: 500,
    }),
  (r) => r.status === 405 || r.headers['content-type']?.includes('text/event-stream'),
);
t(
  'MUST',
  'L12 unknown tool -> -32602',
  () =>
    leg('tools/call', { name: 'no_such_tool_zz', arguments: {} }, { 'MCP-Protocol-Version': '2025-11-25' }),
  (r) => code(r) === -32602,
);
t(
  'MUST',
  'L13 unknown method -> -32601',
  () => leg('nope/nope', {}, { 'MCP-Protocol-Version': '2025-11-25' }),
  (r) => code(r) === -32601,
);
t(
  'SDK',
  'L14 legacy results carry no resultType/ttlMs/serverInfo',
  () => leg('tools/list', {}, { 'MCP-Protocol-Version': '2025-11-25' }),
  (r) => r.j?.result && !('resultType' in r.j.result) && !('ttlMs' in r.j.result),
);
t(
  'MUST',
  'L15 legacy outputSchema root is object (wrap or drop others)',
  () => leg('tools/list', {}, { 'MCP-Protocol-Version': '2025-11-25' }),
  (r) => r.j.result.tools.every((x) => x.outputSchema === undefined || x.outputSchema.type === 'object'),
);
t(
  'MUST',
  'L16 foreign Origin -> 403',
  () => leg('tools/list', {}, { Origin: 'http://evil.example.com' }),
  is(403),
);
t(
  'MUST',
  'L17 posted JSON-RPC response -> 202, or an HTTP error',
  () =>
    send({
      headers: { ...H, ...sid(), 'MCP-Protocol-Version': '2025-11-25' },
      body: { jsonrpc: '2.0', id: 99, result: {} },
    }),
  (r) => r.status === 202 || r.status >= 400,
);
t(
  'SHOULD',
  'L18 DELETE -> 405 without sessions (2xx or 405 with)',
  () =>
    send({
      method: 'DELETE',
      headers: { 'mcp-session-id': 'x', ...sid(), 'MCP-Protocol-Version': '2025-11-25' },
    }),
  (r) => r.status === 405 || (SID && r.status >= 200 && r.status < 300),
);
const only = arg('--only');
{
  const r = await leg('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'p', version: '1' },
  });
  SID = r.headers['mcp-session-id'];
  if (SID) {
    console.log('(legacy leg is sessionful)');
    await send({
      headers: { ...H, ...sid(), 'MCP-Protocol-Version': '2025-11-25' },
      body: { jsonrpc: '2.0', method: 'notifications/initialized' },
    });
  }
}
const n = { MUST: [0, 0], SHOULD: [0, 0], SDK: [0, 0] };
for (const { lvl, name, run, ok } of T) {
  if (only && !name.startsWith(only)) continue;
  const r = await run();
  let good = false;
  try {
    good = !!ok(r);
  } catch {}
  n[lvl][good ? 0 : 1]++;
  console.log(
    `${good ? 'ok  ' : 'FAIL'} ${lvl.padEnd(6)} ${name}${good ? '' : `   got HTTP ${r.status} ${code(r) ?? ''} ${(r.j?.error?.message ?? r.text ?? '').slice(0, 110).replace(/\n/g, '\\n')}`}`,
  );
}
console.log(
  Object.entries(n)
    .map(([k, [a, b]]) => `${k}: ${a} ok, ${b} failed`)
    .join(' | '),
);
process.exit(n.MUST[1] ? 1 : 0);
