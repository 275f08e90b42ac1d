/** The global through which a program's surroundings, and nothing else, reach the host. */
export const HOST_NAMESPACE = '__host';
/** The module that holds the program. */
export const PROGRAM_MODULE = 'program';

/**
 * What surrounds a program inside the sandbox: `tools`, `console`, seeded `Date` and `Math.random()`, and one
 * report at the end. It is the same text every time; the program itself is a module, so the two share no scope.
 * The module is loaded only after this function was entered, when nothing it does to globals changes the report.
 */
export const GUEST_SOURCE = `
const host = ${HOST_NAMESPACE};
let program;
try {
  program = await import('${PROGRAM_MODULE}');
} catch (error) {
  if (error instanceof SyntaxError) return { status: 'syntax-error' };
  throw error;
}
const { names, startedAt, random, outputBytes } = program.config;
const { stringify, parse } = JSON;
const known = new Set(names);
const failures = new WeakMap();
const pending = new Set();
let clock = startedAt;
let logs = [];
let room = outputBytes;
let dropped = false;

const takeLogs = () => {
  const taken = logs;
  logs = [];
  return taken;
};

const textOf = (value) => {
  if (typeof value === 'string') return value;
  try {
    if (value instanceof Error) return value.name + ': ' + value.message;
    const json = stringify(value);
    return json === undefined ? String(value) : json;
  } catch {
    return '[unprintable]';
  }
};

const writer = (level) => (...parts) => {
  if (room <= 0) {
    dropped = true;
    return;
  }
  const line = level + ': ' + parts.map(textOf).join(' ');
  if (line.length > room + 1) dropped = true;
  logs.push(line.slice(0, room + 1));
  room -= line.length;
};
const console = {};
for (const level of ['debug', 'error', 'info', 'log', 'warn']) console[level] = writer(level);
Object.freeze(console);

const RESERVED = new Set(['message', 'stack', 'name', 'cause', '__proto__', 'constructor', '_tag']);
const failureError = ({ id, tag, message, fields }) => {
  const error = new Error(message);
  const add = (key, value, enumerable) =>
    Object.defineProperty(error, key, { value, enumerable, configurable: true, writable: true });
  add('name', 'ToolError', false);
  add('_tag', tag, true);
  for (const key of Object.keys(fields)) if (!RESERVED.has(key)) add(key, fields[key], true);
  failures.set(error, id);
  return error;
};

const argumentText = (input) => {
  try {
    return stringify(input === undefined ? {} : input) ?? '';
  } catch {
    return '';
  }
};

const call = (name, input) => {
  const text = argumentText(input);
  const written = takeLogs();
  const answer = (async () => {
    const reply = await host.call(name, text, written);
    if (reply.at > clock) clock = reply.at;
    if (reply.ok) return parse(reply.value);
    throw failureError(reply.failure);
  })();
  pending.add(answer);
  const settled = () => void pending.delete(answer);
  answer.then(settled, settled);
  return answer;
};

const refuse = () => false;
const member = (path) =>
  new Proxy(() => undefined, {
    get: (_target, key) => (typeof key === 'symbol' || key === 'then' ? undefined : member(path + '.' + key)),
    apply: (_target, _self, [input]) => call(path, input),
    set: refuse,
    defineProperty: refuse,
    deleteProperty: refuse,
  });
const tools = new Proxy(Object.create(null), {
  get: (_target, key) => (typeof key === 'symbol' || key === 'then' ? undefined : member(key)),
  has: (_target, key) => known.has(key),
  ownKeys: () => names,
  getOwnPropertyDescriptor: (_target, key) =>
    known.has(key) ? { value: member(key), enumerable: true, configurable: true, writable: false } : undefined,
  set: refuse,
  defineProperty: refuse,
  deleteProperty: refuse,
});

const RealDate = Date;
const now = () => clock++;
function ProgramDate(...parts) {
  if (new.target === undefined) return new RealDate(now()).toString();
  return Reflect.construct(RealDate, parts.length === 0 ? [now()] : parts, new.target);
}
Object.defineProperties(ProgramDate, {
  prototype: { value: RealDate.prototype },
  now: { value: now },
  parse: { value: RealDate.parse },
  UTC: { value: RealDate.UTC },
});

let [a, b, c, d] = [0, 8, 16, 24].map((start) => Number.parseInt(random.slice(start, start + 8), 16) | 0);
const nextRandom = () => {
  const t = (((a + b) | 0) + d) | 0;
  d = (d + 1) | 0;
  a = b ^ (b >>> 9);
  b = (c + (c << 3)) | 0;
  c = (((c << 21) | (c >>> 11)) + t) | 0;
  return (t >>> 0) / 4294967296;
};
const ProgramMath = Object.create(Object.prototype, {
  ...Object.getOwnPropertyDescriptors(Math),
  random: { value: nextRandom },
});

const globals = Object.create(null);
for (const name of Object.getOwnPropertyNames(globalThis))
  if (!name.startsWith('__')) globals[name] = globalThis[name];
Object.assign(globals, { tools, console, Date: ProgramDate, Math: ProgramMath, globalThis: globals });

const settleAll = async () => {
  while (pending.size > 0) await Promise.allSettled([...pending]);
};
const messageOf = (error) => {
  try {
    return String(typeof error === 'object' && error !== null && 'message' in error ? error.message : error);
  } catch {
    return 'The program threw a value without a message.';
  }
};
/* A spent program is interrupted again and again: only a real interruption does not survive this loop. */
const confirmInterrupt = (message) => {
  if (message === 'interrupted') for (let n = 0; n < 100000; n++);
};
const report = (end) => ({ ...end, logs: takeLogs(), dropped });

let value;
try {
  value = await program.default(tools, console, ProgramDate, ProgramMath, globals, undefined);
  await settleAll();
} catch (error) {
  const message = messageOf(error).slice(0, 2000);
  confirmInterrupt(message);
  await settleAll();
  return report({ status: 'threw', message, failure: failures.get(error) });
}
let json;
try {
  json = value === undefined ? 'null' : stringify(value);
} catch {}
if (typeof json !== 'string') return report({ status: 'invalid-value' });
const cut = json.length > outputBytes + 1 && json !== 'null';
return report({ status: 'returned', result: cut ? json.slice(0, outputBytes + 1) : json, cut });
`;

/** What the surroundings are told about this run. */
export interface GuestConfig {
  readonly names: readonly string[];
  readonly startedAt: number;
  readonly random: string;
  readonly outputBytes: number;
}

/**
 * The module of one program. Its parameters stand before the globals of the same names, the host's namespace
 * among them; a module is strict, so there is no other way to the global object.
 */
export function programModule(code: string, config: GuestConfig): string {
  const parameters = ['tools', 'console', 'Date', 'Math', 'globalThis', HOST_NAMESPACE].join(', ');
  return [
    `export const config = ${JSON.stringify(config)};`,
    `export default async function (${parameters}) {`,
    'return (async function () {',
    code,
    '}).call(undefined);',
    '}',
  ].join('\n');
}
