import type { McpAuthorizationOptions, ResolvedMcpOptions } from './mcp-options.js';

/** Why the application must not start with these options. */
export interface McpOptionProblem {
  readonly problem: string;
  readonly remedy: string;
}

const MIN_SECRET = 32;
const PATH = /^[A-Za-z0-9._~-]+(?:\/[A-Za-z0-9._~-]+)*$/;

/** Every wrong option, with what to change. */
export function mcpOptionProblems(options: ResolvedMcpOptions): readonly McpOptionProblem[] {
  const problems: McpOptionProblem[] = [];
  const add = (wrong: boolean, problem: string, remedy: string): void => {
    if (wrong) problems.push({ problem, remedy });
  };
  add(!PATH.test(options.path), '`path` must be literal segments', 'Set it to a path such as /mcp');
  add(
    options.info.version === '' || options.info.name === '',
    '`name` and `version` must not be empty',
    'Set both',
  );
  for (const key of [
    'pageSize',
    'bodyLimit',
    'inputTtlMs',
    'answerTimeoutMs',
    'taskTtlMs',
    'maxStreams',
  ] as const) {
    add(
      !isCount(options[key]) || options[key] === 0,
      `\`${key}\` is no positive integer`,
      'Correct it, or leave it out',
    );
  }
  add(
    !isCount(options.cacheTtlMs),
    '`cacheTtlMs` is no integer of zero or more',
    'Correct it, or leave it out',
  );
  const short = options.secret !== undefined && Buffer.byteLength(options.secret) < MIN_SECRET;
  add(
    short,
    `\`secret\` has fewer than ${MIN_SECRET} bytes`,
    'Use a random secret, the same on every instance',
  );
  for (const origin of options.allowedOrigins) {
    add(
      !isOrigin(origin),
      `${JSON.stringify(origin)} in \`allowedOrigins\` is no origin`,
      'Write scheme, host and port only',
    );
  }
  if (options.authorization !== undefined) problems.push(...authorizationProblems(options.authorization));
  return problems;
}

function authorizationProblems({
  resource,
  authorizationServers,
}: McpAuthorizationOptions): readonly McpOptionProblem[] {
  const problems: McpOptionProblem[] = [];
  if (!isResource(resource)) {
    problems.push({
      problem:
        '`authorization.resource` must be an absolute http(s) URL without query, fragment or trailing slash',
      remedy: 'Set it to the public URL of the endpoint',
    });
  }
  if (authorizationServers.length === 0) {
    problems.push({
      problem: '`authorization.authorizationServers` is empty',
      remedy: 'Name the issuer of the accepted tokens (RFC 9728)',
    });
  }
  return problems;
}

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

function isOrigin(value: string): boolean {
  return URL.canParse(value) && new URL(value).origin === value;
}

function isResource(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, search, hash } = new URL(value);
  return /^https?:$/.test(protocol) && search === '' && hash === '' && !value.endsWith('/');
}
