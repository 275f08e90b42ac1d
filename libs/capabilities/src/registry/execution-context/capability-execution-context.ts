import type { ContextType, ExecutionContext, Type } from '@nestjs/common';
import type { CapabilityView } from '../../contract/capability-view.js';
import type { RegisteredUser } from '../../contract/register.js';
import type { SurfaceId } from '../../contract/surface.js';
import type { Principal } from '../../kernel/principal.js';
import type { HandlerCall } from '../capability-definition.js';

/** Context types of an application that serves capabilities: `context.getType<CapabilityContextType>()`. */
export type CapabilityContextType = ContextType | 'capability';

/** The host's class and method, as `getClass()` and `getHandler()` answer them. */
export interface CapabilityTarget {
  readonly hostClass: abstract new (...args: never[]) => object;
  /** The function on the prototype, with the metadata of the one the decorator saw. */
  readonly method: (...args: never[]) => unknown;
}

const BRAND = Symbol.for('nest-capabilities.CapabilityExecutionContext');

/** Stands for the request where the transport has none. Never holds anything a model chose. */
export const NO_REQUEST: object = Object.freeze({});

/**
 * What guards and interceptors receive on every surface; its type is `'capability'`.
 * `getArgs()[0]` is the transport's request, or an empty frozen object where there is none.
 */
export class CapabilityExecutionContext implements ExecutionContext {
  readonly [BRAND] = true;
  /** True once an enhancer asked for a request or a response that this call does not have. */
  private missed = false;

  /** @internal `input` is a clone; guards run before any input is looked at and get none. */
  constructor(
    private readonly target: CapabilityTarget,
    private readonly call: HandlerCall,
    readonly input: unknown,
  ) {}

  /**
   * The capability view of an execution context, in the manner of `GqlExecutionContext.create`.
   *
   * @throws TypeError when the context is of another type; ask `context.getType()` first.
   */
  static create(context: ExecutionContext): CapabilityExecutionContext {
    if (BRAND in context) return context as CapabilityExecutionContext;
    throw new TypeError(
      `This execution context is of type '${context.getType()}', not 'capability'. Check getType() first.`,
    );
  }

  get capability(): CapabilityView {
    return this.call.definition;
  }

  /** The verified caller. */
  get principal(): Principal<RegisteredUser> {
    return registered(this.call.principal);
  }

  /** `principal.user`. */
  get user(): RegisteredUser {
    return registered<RegisteredUser>(this.call.principal).user;
  }

  get surface(): SurfaceId {
    return this.call.surface;
  }

  get executionId(): string {
    return this.call.executionId;
  }

  /** Aborts when the caller is gone or the deadline has passed. */
  get signal(): AbortSignal {
    return this.call.signal;
  }

  getType<T extends string = CapabilityContextType>(): T {
    return 'capability' as T;
  }

  getClass<T = unknown>(): Type<T> {
    return this.target.hostClass as unknown as Type<T>;
  }

  // oxlint-disable-next-line typescript/no-unsafe-function-type -- the signature of Nest's ExecutionContext
  getHandler(): Function {
    return this.target.method;
  }

  getArgs<T extends unknown[] = unknown[]>(): T {
    return [this.request()] as T;
  }

  getArgByIndex<T = unknown>(index: number): T {
    return (index === 0 ? this.request() : undefined) as T;
  }

  switchToHttp(): ReturnType<ExecutionContext['switchToHttp']> {
    return {
      getRequest: <T>() => this.request() as T,
      getResponse: <T>() => this.absent() as T,
      getNext: <T>() => this.absent() as T,
    };
  }

  switchToRpc(): ReturnType<ExecutionContext['switchToRpc']> {
    return { getData: <T>() => this.request() as T, getContext: <T>() => this.absent() as T };
  }

  switchToWs(): ReturnType<ExecutionContext['switchToWs']> {
    return {
      getData: <T>() => this.absent() as T,
      getClient: <T>() => this.request() as T,
      getPattern: () => '',
    };
  }

  /** @internal Whether the enhancers since the last question asked for a transport object that is not there. */
  takeMissed(): boolean {
    const missed = this.missed;
    this.missed = false;
    return missed;
  }

  private request(): unknown {
    if (this.call.request !== undefined) return this.call.request;
    this.missed = true;
    return NO_REQUEST;
  }

  private absent(): undefined {
    this.missed = true;
    return undefined;
  }
}

/** The application registers its user's type; the pipeline carries the object untouched. */
function registered<User>(principal: Principal): Principal<User> {
  return principal as Principal<User>;
}
