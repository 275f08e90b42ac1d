import { TOOL_ERROR_CODES } from '../errors/error-table.js';
import { isRecord } from '../kernel/json.js';
import type {
  ApprovalOptions,
  CapabilityHostOptions,
  CapabilityOptions,
  FailureOptions,
  HttpHints,
  InheritableOptions,
  LimitOptions,
  RetryOptions,
} from './capability-options.js';
import { nameProblem } from './capability-name.js';
import { dictionary, list, object, type OptionRule, value } from './option-rule.js';
import { isSchemaLike } from './parameter-schema.js';
import { policyRule } from './policy-shape.js';
import { routePathRule } from './route-path.js';
import { surfacesRule } from './surfaces-rule.js';

type RulesOf<T> = Readonly<Record<keyof T, OptionRule>>;

const isText = (candidate: unknown): candidate is string =>
  typeof candidate === 'string' && candidate.trim() !== '';
const isPositive = (candidate: unknown): boolean =>
  typeof candidate === 'number' && Number.isFinite(candidate) && candidate > 0;
const isCount = (candidate: unknown): boolean => Number.isInteger(candidate) && (candidate as number) > 0;

const isObjectSchema = (candidate: unknown): boolean => isRecord(candidate) && candidate['type'] === 'object';

const text = value('a non-empty string', isText);
const boolean = value('true or false', (candidate) => typeof candidate === 'boolean');
const callback = value('a function', (candidate) => typeof candidate === 'function');
const anything: OptionRule = () => undefined;
const duration = value('a positive number of milliseconds', isPositive, 'DURATION_INVALID');
const count = value('a positive integer', isCount, 'LIMIT_INVALID');
const schema = value('a zod schema, a DTO class or a Standard Schema', isSchemaLike);
const oneOf = (...choices: readonly string[]): OptionRule =>
  value(`one of ${choices.join(', ')}`, (candidate) => choices.includes(candidate as string));

const APPROVAL: RulesOf<ApprovalOptions> = {
  required: boolean,
  by: oneOf('principal', 'another', 'host'),
  strength: oneOf('none', 'session', 'webauthn'),
  decideWithin: duration,
  executeWithin: duration,
  quorum: count,
  approvers: list(text),
  permission: text,
  type: text,
};

const RETRY: RulesOf<RetryOptions> = {
  maxAttempts: value(
    'the number of additional attempts, zero or more',
    (candidate) => Number.isInteger(candidate) && (candidate as number) >= 0,
    'LIMIT_INVALID',
  ),
  backoffMs: duration,
  retryOn: callback,
};

const LIMITS: RulesOf<LimitOptions> = {
  rate: object({ max: count, windowMs: duration }, ['max', 'windowMs']),
  concurrency: count,
  budget: object(
    { field: text, max: value('a positive number', isPositive, 'LIMIT_INVALID'), windowMs: duration },
    ['field', 'max', 'windowMs'],
  ),
};

const FAILURE: RulesOf<FailureOptions> = {
  schema,
  fix: text,
  status: value(
    'an HTTP status from 400 to 599',
    (candidate) =>
      Number.isInteger(candidate) && (candidate as number) >= 400 && (candidate as number) <= 599,
  ),
  code: oneOf(...TOOL_ERROR_CODES),
  retryable: boolean,
};

const HTTP: RulesOf<HttpHints> = {
  method: value(
    'GET, POST, PUT, PATCH or DELETE',
    (candidate) => ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].includes(candidate as string),
    'ROUTE_INVALID',
  ),
  path: routePathRule,
  document: boolean,
  example: anything,
  version: text,
};

const INHERITABLE: RulesOf<InheritableOptions> = {
  expose: surfacesRule,
  risk: oneOf('low', 'medium', 'high', 'critical'),
  permission: value('a permission, or null for none', (candidate) => candidate === null || isText(candidate)),
  tags: list(text),
  approval: object(APPROVAL),
};

/** What `forRoot({ defaults })` may hold. The values are checked with every capability that inherits them. */
export const DEFAULTS_RULES: RulesOf<InheritableOptions> = {
  expose: anything,
  risk: anything,
  permission: anything,
  tags: anything,
  approval: anything,
};

/** What `@CapabilityHost()` may hold. */
export const HOST_RULES: RulesOf<CapabilityHostOptions> = {
  ...DEFAULTS_RULES,
  namespace: (candidate, path, report) => {
    const problem = nameProblem(candidate);
    if (problem !== undefined) {
      report(
        'NAME_INVALID',
        `\`${path}\` cannot prefix a name: ${problem}`,
        'Choose a namespace of A-Z, a-z, 0-9, "_", "-" and dots',
      );
    }
  },
};

/** What `@Capability()` may hold. `name` has a check of its own. */
export const CAPABILITY_RULES: RulesOf<CapabilityOptions> = {
  ...INHERITABLE,
  name: anything,
  title: text,
  description: text,
  inputSchema: schema,
  outputSchema: schema,
  failures: dictionary(object(FAILURE, ['schema', 'fix'])),
  sideEffect: oneOf('none', 'read', 'write', 'destructive', 'external'),
  annotations: object({ readOnly: boolean, destructive: boolean }, ['readOnly', 'destructive']),
  describe: callback,
  reversible: boolean,
  constraints: list(text),
  policies: list(policyRule),
  idempotent: boolean,
  retry: object(RETRY, ['maxAttempts']),
  timeoutMs: duration,
  limits: object(LIMITS),
  redact: object({ output: callback, approvalInput: callback }),
  cites: callback,
  unknownKeys: oneOf('refuse', 'ignore'),
  args: callback,
  discovery: oneOf('discoverable', 'contextual'),
  deprecated: value(
    'true, false or the reason',
    (candidate) => typeof candidate === 'boolean' || isText(candidate),
  ),
  version: text,
  http: object(HTTP),
  mcp: object({
    rootCombinators: boolean,
    icons: list(object({ src: text, mimeType: text, sizes: list(text) }, ['src'])),
    inputSchema: value("a JSON Schema with `type: 'object'`", isObjectSchema),
    result: oneOf('data', 'content'),
    requires: list(oneOf('elicitation', 'elicitation.url', 'sampling', 'sampling.tools', 'roots')),
    task: oneOf('optional', 'required'),
    taskInput: oneOf('before', 'within'),
    resource: object({ uri: text, uriTemplate: text, mimeType: text, size: count, subscribe: boolean }),
    prompt: value('true', (candidate) => candidate === true),
    completion: object({ prompt: text, uriTemplate: text, argument: text }, ['argument']),
  }),
  assistant: dictionary(anything),
  cli: object({ positional: list(text) }),
};
