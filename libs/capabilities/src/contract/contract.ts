import type { SchemaLike } from '../kernel/standard-schema.js';
import type { FailureOptions, ParsedInput, ParsedOutput } from './capability-options.js';
import type { ObjectRef, PendingAction } from './object-ref.js';

/** Who stands behind a call: nobody, the person who asked, or the host's operator. */
export type ContractAccess = 'read' | 'write' | 'host';

export type DeclaredFailures = Readonly<Record<string, FailureOptions>>;

/** The failures of a contract that declares none: no tag fits. */
// oxlint-disable-next-line typescript/no-generated-empty-object-type -- no keys is what it says
export type NoFailures = Record<never, never>;

/** What a gated contract's `describe` answers; `reversible` is the contract's own. */
export type CallDescription = Omit<PendingAction, 'reversible'>;

/** What every contract declares. */
export interface ContractBase<
  Name extends string = string,
  I extends SchemaLike = SchemaLike,
  O extends SchemaLike = SchemaLike,
  F extends DeclaredFailures = DeclaredFailures,
> {
  readonly name: Name;
  readonly title?: string;
  /** For the model. */
  readonly description: string;
  readonly inputSchema: I;
  readonly outputSchema: O;
  /** Every failure a caller may see; anything else is a masked fault. */
  readonly failures?: F;
  /** Objects that the output stands on. Default none. */
  readonly cites?: (output: ParsedOutput<O>) => readonly ObjectRef[];
  /** Default `'refuse'`. */
  readonly unknownKeys?: 'refuse' | 'ignore';
}

/** A contract that changes nothing: there is no action to describe. */
export interface ReadContract<
  Name extends string = string,
  I extends SchemaLike = SchemaLike,
  O extends SchemaLike = SchemaLike,
  F extends DeclaredFailures = DeclaredFailures,
> extends ContractBase<Name, I, O, F> {
  readonly access: 'read';
  readonly reversible?: never;
  readonly describe?: never;
}

/** A contract whose calls somebody confirms: `write` the person who asked, `host` an operator. */
export interface GatedContract<
  Name extends string = string,
  I extends SchemaLike = SchemaLike,
  O extends SchemaLike = SchemaLike,
  F extends DeclaredFailures = DeclaredFailures,
> extends ContractBase<Name, I, O, F> {
  readonly access: 'write' | 'host';
  readonly reversible: boolean;
  /** Exactly what the call will do; pure. */
  readonly describe: (input: ParsedInput<I>) => CallDescription;
}

/** A capability without its handler: pure data that a browser can import. */
export type Contract<
  Name extends string = string,
  I extends SchemaLike = SchemaLike,
  O extends SchemaLike = SchemaLike,
  F extends DeclaredFailures = DeclaredFailures,
> = ReadContract<Name, I, O, F> | GatedContract<Name, I, O, F>;

/** Any contract, whatever its types. `never` inputs let every callback fit. */
export type AnyContract = Omit<ContractBase, 'cites'> & {
  readonly access: ContractAccess;
  readonly cites?: (output: never) => readonly ObjectRef[];
  readonly reversible?: boolean;
  readonly describe?: (input: never) => CallDescription;
};
