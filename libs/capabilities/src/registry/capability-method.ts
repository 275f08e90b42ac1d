import type { ParsedInput, ReturnedOutput } from '../contract/capability-options.js';
import type { HandlerContext } from '../contract/handler-context.js';
import type { ToolError } from '../errors/tool-error.js';
import type { SchemaLike } from '../kernel/standard-schema.js';

/** The sentence a compiler prints when a method does not fit its declaration. */
export interface CapabilityMismatch<Message extends string, Detail> {
  readonly mismatch: Message;
  readonly detail: Detail;
}

/** Marks "no `args` declared" in {@link CapabilityMethodDecorator}. */
export type NoArgs = never;

/** Fits every context type an application may name: both members are checked at run time, not here. */
type AnyContext = HandlerContext<never, never>;

type FirstParameter<P extends readonly unknown[]> = P extends readonly [] ? unknown : P[0];
type SecondParameter<P extends readonly unknown[]> = P extends readonly [unknown?] ? unknown : P[1];

type ParameterMismatch<I, A, P extends readonly unknown[]> = [A] extends [NoArgs]
  ? InputMismatch<I, P>
  : [A] extends [P]
    ? unknown
    : CapabilityMismatch<
        'the parameters of the method do not accept what args returns',
        { parameters: P; argsReturns: A }
      >;

type InputMismatch<I, P extends readonly unknown[]> = [
  I extends SchemaLike ? ParsedInput<I> : never,
] extends [FirstParameter<P>]
  ? ContextMismatch<P>
  : CapabilityMismatch<
      'the first parameter of the method does not accept what inputSchema produces',
      { parameter: FirstParameter<P>; schemaProduces: ParsedInput<I> }
    >;

type ContextMismatch<P extends readonly unknown[]> = P extends readonly [
  unknown,
  unknown,
  unknown,
  ...unknown[],
]
  ? CapabilityMismatch<
      'the method takes more than (input, ctx); map its parameters with args',
      { parameters: P }
    >
  : [AnyContext] extends [SecondParameter<P>]
    ? unknown
    : CapabilityMismatch<
        'the second parameter of the method does not accept the handler context; map other parameters with args',
        { parameter: SecondParameter<P> }
      >;

type ReturnMismatch<O, R> = O extends SchemaLike
  ? [Awaited<R>] extends [ReturnedOutput<O> | ToolError]
    ? unknown
    : CapabilityMismatch<
        'the return value of the method does not fit outputSchema',
        { returns: Awaited<R>; schemaAccepts: ReturnedOutput<O> }
      >
  : unknown;

/** `unknown` when the method fits, else a {@link CapabilityMismatch} that names what does not. */
export type MethodCheck<M, I, O, A> = M extends (...args: infer P) => infer R
  ? ParameterMismatch<I, A, P> & ReturnMismatch<O, R>
  : unknown;

/** A method decorator that compiles only on methods that fit the declared schemas. */
export type CapabilityMethodDecorator<
  I extends SchemaLike | undefined,
  O extends SchemaLike | undefined,
  A extends readonly unknown[],
> = <M>(
  target: object,
  key: string | symbol,
  descriptor: TypedPropertyDescriptor<M> & MethodCheck<M, I, O, A>,
) => void;
