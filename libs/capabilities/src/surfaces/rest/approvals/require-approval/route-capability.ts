import { inputHash } from '../../../../approvals/approval-input.js';
import type { ApprovalRecord } from '../../../../approvals/approval-record.js';
import type { ApprovalOptions } from '../../../../contract/capability-options.js';
import type { CompiledInput } from '../../../../kernel/compiled-schema.js';
import { sha256 } from '../../../../kernel/hash.js';
import type { Json } from '../../../../kernel/json.js';
import type { CapabilityDefinition } from '../../../../registry/capability-definition.js';
import { resolveApproval } from '../../../../registry/resolve-approval.js';
import type { BoundRequest } from './bound-request.js';

/** Options of `@RequireApproval()`. */
export interface RequireApprovalOptions extends Omit<ApprovalOptions, 'required'> {
  /** What deciders read first. Default: method and route. */
  readonly title?: string;
  /** Default false. */
  readonly reversible?: boolean;
  /** Longest time the handler may take, milliseconds. Default 30 000. */
  readonly timeoutMs?: number;
}

/** No capability's name holds a colon. */
const PREFIX = 'http:';
const TIMEOUT_MS = 30_000;
const MAX_TARGET = 200;

/** True when an approval was asked for by `@RequireApproval()`: it executes by repeating its request. */
export function isRouteApproval({ capability }: Pick<ApprovalRecord, 'capability'>): boolean {
  return capability.startsWith(PREFIX);
}

/**
 * A route of the application as the pipeline sees it: one capability whose method is the rest of the request.
 * Its fingerprint binds handler, terms and the very request, so that an approval fits no other. Throws
 * UNSTORABLE_INPUT for a request that cannot be kept.
 */
export function routeCapability(
  options: RequireApprovalOptions,
  request: BoundRequest,
  run: () => Promise<void>,
): CapabilityDefinition {
  const { title = request.route, reversible = false, timeoutMs = TIMEOUT_MS, ...approval } = options;
  const { route, className, methodName } = request;
  const name = `${PREFIX}${route}`;
  const bound = inputHash(name, request.input, []);
  return {
    ...PLAIN,
    name,
    title,
    description: title,
    approval: resolveApproval({ ...approval, required: true }),
    describe: (input) => ({
      verb: title,
      target: { product: 'http', kind: 'route', id: route.slice(0, MAX_TARGET) },
      arguments: input as Json,
      reversible,
    }),
    reversible,
    timeoutMs,
    source: { className, methodName, moduleName: undefined },
    handler: { guard: undefined, invoke: run },
    fingerprint: sha256(
      'nest-capabilities.route.v1',
      JSON.stringify([name, className, methodName, options, bound]),
    ),
    options: { description: title },
  };
}

/** The application's pipes judge the request when its handler runs. */
const AS_IT_CAME: CompiledInput = {
  kind: 'standard',
  exact: {},
  portable: { type: 'object' },
  named: {},
  opaque: [],
  properties: {},
  required: new Set(),
  classes: [],
  unknownKey: () => undefined,
  decodeWire: (raw) => raw,
  transforms: () => false,
  parse: (value) => ({ ok: true, value }),
};

/** What every route has in common: a write for whoever its guards let in. */
const PLAIN = {
  expose: ['rest'],
  discovery: 'contextual',
  deprecated: false,
  version: undefined,
  sideEffect: 'write',
  risk: 'medium',
  permission: null,
  tags: [],
  annotations: { readOnly: false, destructive: false },
  input: AS_IT_CAME,
  output: undefined,
  failures: new Map(),
  constraints: [],
  policies: [],
  idempotent: false,
  retry: undefined,
  limits: undefined,
  redact: {},
  cites: undefined,
  unknownKeys: 'ignore',
  http: {},
  mcp: {},
  cli: {},
  assistant: {},
} satisfies Partial<CapabilityDefinition>;
