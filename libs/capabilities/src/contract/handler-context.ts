import type { Principal } from '../kernel/principal.js';
import type { SchemaInput, SchemaLike } from '../kernel/standard-schema.js';
import type { ClientChannel, ElicitAnswer, ElicitForm, ElicitUrl } from './client-channel.js';
import type { RegisteredUser } from './register.js';
import type { SurfaceId } from './surface.js';

export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency';

/** What `ctx.fail` looks at: tag to the schema of its fields. */
export type FailureSchemas = Readonly<Record<string, { readonly schema: SchemaLike }>>;

/** The fields of one declared failure; any object when the failures are not named to the compiler. */
export type FailureFields<F extends FailureSchemas, Tag extends keyof F> =
  unknown extends SchemaInput<F[Tag]['schema']>
    ? Readonly<Record<string, unknown>>
    : SchemaInput<F[Tag]['schema']>;

/**
 * What a handler receives beside its input: one own object, nothing spread into it.
 * With `Failures` (`typeof failures`), `fail` knows the declared tags and their fields.
 */
export interface HandlerContext<
  User = RegisteredUser,
  Context = unknown,
  Failures extends FailureSchemas = FailureSchemas,
> {
  readonly principal: Principal<User>;
  /** `principal.user`. */
  readonly user: User;
  /** The surface of this call; on an approved run the recorded one. */
  readonly surface: SurfaceId;
  readonly executionId: string;
  /** Aborts when the caller is gone or the deadline has passed. */
  readonly signal: AbortSignal;
  readonly idempotencyKey?: string;
  readonly approval?: { readonly approvalId: string };
  /** What the application's `CapabilityContextResolver` built. */
  readonly context: Context;
  /** Reports progress where the surface can carry it; otherwise does nothing. */
  progress(progress: number, total?: number, message?: string): void;
  /** Logs to the caller where the surface can carry it; otherwise does nothing. */
  log(level: LogLevel, data: unknown, logger?: string): void;
  /** Reaches the caller's client, on surfaces that can ask it something. */
  readonly client?: ClientChannel;
  /** `client.elicit`. */
  elicit?(request: ElicitForm | ElicitUrl, key?: string): Promise<ElicitAnswer>;
  /** Throws a declared failure of this capability. */
  fail<Tag extends keyof Failures & string>(tag: Tag, fields?: FailureFields<Failures, Tag>): never;
}
