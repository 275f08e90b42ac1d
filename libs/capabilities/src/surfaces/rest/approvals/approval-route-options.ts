import { isLiteralPath, trimSlashes } from '../literal-path.js';

/** Options of the approval routes. */
export interface ApprovalRouteOptions {
  /** Path of the routes, below the global prefix. Default `'approvals'`. */
  readonly path?: string;
  /** Serves a decision page at `GET /{path}/{id}/page`. Default true. */
  readonly page?: boolean;
  /**
   * Where browsers and clients reach the application, such as `https://desk.example.com`. Makes links absolute,
   * and its origin is the only one the page takes a decision from. Default: links are paths, and the origin
   * must name the request's own `Host`.
   */
  readonly publicUrl?: string;
  /**
   * Signs the forms of the page, at least 32 bytes; the same on every instance. Default: random, so that a form
   * is good only for the process that served it.
   */
  readonly formSecret?: string;
}

/** Options with every default applied. */
export interface ResolvedApprovalRoutes {
  readonly path: string;
  readonly page: boolean;
  /** Without a slash at its end. */
  readonly publicUrl: string | undefined;
  readonly formSecret: string | undefined;
}

/** Why the application must not start. */
export interface OptionProblem {
  readonly problem: string;
  readonly remedy: string;
}

const MIN_SECRET_BYTES = 32;

export function resolveApprovalRoutes(options: ApprovalRouteOptions): ResolvedApprovalRoutes {
  const { path = 'approvals', page = true, publicUrl, formSecret } = options;
  return { path: trimSlashes(path), page, publicUrl: publicUrl?.replace(/\/+$/, ''), formSecret };
}

/** What is wrong with the options; `capabilitiesPath` is taken. */
export function approvalRouteProblems(
  { path, publicUrl, formSecret }: ResolvedApprovalRoutes,
  capabilitiesPath: string,
): readonly OptionProblem[] {
  const problems: OptionProblem[] = [];
  if (!isLiteralPath(path)) {
    const remedy = 'Write it as approvals or api/approvals';
    problems.push({ problem: '`approvals.path` must be literal segments', remedy });
  }
  if (`${path}/`.startsWith(`${capabilitiesPath}/`)) {
    const remedy = 'Choose a path outside of it';
    problems.push({ problem: '`approvals.path` lies under the path of the capabilities', remedy });
  }
  if (publicUrl !== undefined && !isPublicUrl(publicUrl)) {
    const remedy = 'Write it as https://desk.example.com, without query or credentials';
    problems.push({ problem: '`approvals.publicUrl` is no http or https URL', remedy });
  }
  if (formSecret !== undefined && Buffer.byteLength(formSecret) < MIN_SECRET_BYTES) {
    const remedy = `Pass at least ${MIN_SECRET_BYTES} random bytes`;
    problems.push({ problem: '`approvals.formSecret` is too short', remedy });
  }
  return problems;
}

/** True when two imports of the module ask for the same routes. */
export function sameApprovalRoutes(
  a: ResolvedApprovalRoutes | undefined,
  b: ResolvedApprovalRoutes | undefined,
): boolean {
  if (a === undefined || b === undefined) return a === b;
  return (
    a.path === b.path && a.page === b.page && a.publicUrl === b.publicUrl && a.formSecret === b.formSecret
  );
}

function isPublicUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, search, hash, username, password } = new URL(text);
  return (protocol === 'https:' || protocol === 'http:') && search + hash + username + password === '';
}
