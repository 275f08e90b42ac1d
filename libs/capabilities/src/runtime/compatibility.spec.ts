import * as reference from '@automators/capabilities';
import { z } from 'zod';
import * as own from './index.js';

interface User {
  readonly appRoles: string[];
  readonly permissions: string[];
}

class Silent extends own.FaultLogger {
  error(): void {}
  warn(): void {}
}

interface Answer {
  readonly value?: unknown;
  readonly rpcCode?: number;
  readonly code?: unknown;
  readonly field?: unknown;
  readonly allowed?: unknown;
}

const schemas = {
  inputSchema: z.object({
    n: z.number().min(1),
    mode: z.enum(['a', 'b']).default('a'),
    tags: z.array(z.string()).optional(),
  }),
  outputSchema: z.object({ doubled: z.number(), mode: z.string(), note: z.string().default('none') }),
};
const base = {
  name: 'double',
  description: 'Doubles a number.',
  ...schemas,
  annotations: { readOnly: true, destructive: false },
};
const double = async (input: unknown): Promise<unknown> => {
  const { n, mode } = input as { n: number; mode: string };
  return { doubled: n * 2, mode, internal: 'dropped' };
};

interface Scenario {
  readonly title: string;
  readonly args: unknown;
  readonly requiredPermission?: string;
  readonly permissions?: string[];
  readonly authorize?: () => string | null;
  readonly run?: (input: unknown) => Promise<unknown>;
  readonly outputSchema?: z.ZodType;
}

const scenarios: readonly Scenario[] = [
  { title: 'a valid call', args: { n: 2, mode: 'b' } },
  { title: 'defaults of input and output', args: { n: 2 } },
  { title: 'unknown input keys', args: { n: 2, extra: true } },
  { title: 'a wrong type', args: { n: '2' } },
  { title: 'a value out of range', args: { n: 0 } },
  { title: 'a value outside an enumeration', args: { n: 1, mode: 'c' } },
  { title: 'a wrong nested value', args: { n: 1, tags: ['x', 2] } },
  { title: 'missing arguments', args: undefined },
  { title: 'a permission that is held', args: { n: 1 }, requiredPermission: 'p', permissions: ['p'] },
  { title: 'a permission that is not held', args: { n: 1 }, requiredPermission: 'p' },
  { title: 'no permission and a wrong input', args: { n: 'x' }, requiredPermission: 'p' },
  { title: 'a refusal by authorize', args: { n: 1 }, authorize: () => 'not now' },
  { title: 'authorize that lets pass', args: { n: 1 }, authorize: () => null },
  { title: 'a result that does not fit', args: { n: 1 }, run: async () => ({ doubled: 'x' }) },
  {
    title: 'a returned tool error that the output schema allows',
    args: { n: 1 },
    outputSchema: z.unknown(),
    run: async () => own.toolError('CONFLICT', 'Taken.', { existing_id: '7' }),
  },
];

/** Both answers in one vocabulary: the value, or the JSON-RPC code and what the envelope says. */
async function answer(
  call: () => Promise<unknown>,
  codeOf: (error: never) => number,
  fail: (error: unknown) => object,
): Promise<Answer> {
  try {
    return { value: await call() };
  } catch (error) {
    const { code, field, allowed } = (fail(error) as { error: Record<string, unknown> }).error;
    return { rpcCode: codeOf(error as never), code, field, allowed };
  }
}

describe('the runtime answers like @automators/capabilities', () => {
  it.each(scenarios)('on $title', async ({ args, permissions = [], authorize, ...over }) => {
    const user: User = { appRoles: [], permissions };
    const policy = {
      userHasPermission: (who: User, permission: string): boolean => who.permissions.includes(permission),
      ...(authorize === undefined ? {} : { authorize }),
    };
    const declared = { ...base, run: double, ...over };
    const theirs = await answer(
      () => reference.runCapability(reference.defineCapability(declared as never), args, user, policy),
      (error: reference.CapabilityError) => error.code,
      reference.capabilityFailure,
    );
    const runtime = own.createCapabilityRuntime<User>({
      policy,
      serverInfo: { name: 'n', version: '1' },
      logger: new Silent(),
    });
    const ours = await answer(
      () => runtime.runCapability(own.defineCapability(declared as never), args, user),
      own.rpcCode,
      own.capabilityFailure,
    );
    expect(ours).toEqual(theirs);
  });

  it('in list entries', () => {
    const declared = { ...base, run: double };
    expect(own.capabilityToListEntry(own.defineCapability(declared as never))).toEqual(
      reference.capabilityToListEntry(reference.defineCapability(declared as never)),
    );
  });

  it('in exported names', () => {
    expect(Object.keys(reference).filter((name) => !(name in own))).toEqual([]);
  });

  it.each([
    ['ping', {}],
    ['nope', {}],
    ['tools/call', { name: 'double', arguments: { n: 2 } }],
    ['tools/call', { name: 'double', arguments: { n: '2' } }],
  ])('to the message %s with %j', async (method, params) => {
    const user: User = { appRoles: [], permissions: [] };
    const options = { policy: { userHasPermission: () => true }, serverInfo: { name: 'n', version: '1' } };
    const message = { jsonrpc: '2.0', id: 7, method, params };
    const declared = { ...base, run: double } as never;
    const theirs = await reference.handleMcpRpc(
      message,
      user,
      [reference.defineCapability(declared)],
      options,
    );
    const ours = await own.handleMcpRpc(message, user, [own.defineCapability(declared)], options);
    expect(essence(ours)).toEqual(essence(theirs));
  });
});

/** Of a JSON-RPC reply, what both dispatchers promise: texts differ. */
function essence(reply: unknown): object {
  const { id, result, error } = reply as {
    readonly id: unknown;
    readonly result?: { readonly isError?: boolean; readonly structuredContent?: unknown };
    readonly error?: { readonly code: number };
  };
  if (error !== undefined) return { id, code: error.code };
  const failed = result?.isError === true;
  return { id, failed, data: failed ? undefined : result?.structuredContent };
}
