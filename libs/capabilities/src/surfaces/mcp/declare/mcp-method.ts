import type { ParsedInput } from '../../../contract/capability-options.js';
import type { HandlerContext } from '../../../contract/handler-context.js';
import { Capability } from '../../../registry/capability.decorator.js';

/**
 * A decorator for methods that take the parsed input and return `Output`; any other method does not compile. Fits
 * every context type an application may name.
 */
export type McpMethodDecorator<Input, Output> = <
  Method extends (input: Input, ctx: HandlerContext<never, never>) => Output | Promise<Output>,
>(
  target: object,
  key: string | symbol,
  descriptor: TypedPropertyDescriptor<Method>,
) => void;

/** What the schema hands to the method; without a schema the DTO class of its first parameter decides. */
export type McpMethodInput<I> = I extends undefined ? never : ParsedInput<I>;

/** `@Capability.read()` whose default exposure is `mcp`. */
export function readOnMcp<Input, Output>(options: object): McpMethodDecorator<Input, Output> {
  return Capability.read({ expose: ['mcp'], ...options } as never) as unknown as McpMethodDecorator<
    Input,
    Output
  >;
}
