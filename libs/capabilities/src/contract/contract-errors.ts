/** A contract's name breaks the name grammar. Thrown when the module that defines it loads. */
export class ContractNameInvalid extends Error {
  override readonly name = 'ContractNameInvalid';
  constructor(
    readonly contractName: unknown,
    problem: string,
  ) {
    super(`A contract cannot be defined: ${problem}.`);
  }
}

/** The arguments do not fit the contract's input. Nothing ran. */
export class CapabilityInputInvalid extends Error {
  override readonly name = 'CapabilityInputInvalid';
  constructor(
    readonly capability: string,
    /** Dotted path and reason, in one line. */
    readonly issue: string,
  ) {
    super(`The arguments of ${capability} are not valid: ${issue}`);
  }
}

/** A declared failure, ready to be shown: what happened and what to do next. */
export class CapabilityFailed extends Error {
  override readonly name = 'CapabilityFailed';
  readonly capability: string;
  readonly tag: string;
  readonly reason: string;
  readonly fix: string;
  /** The declared fields in their JSON form; undeclared ones are gone. */
  readonly failure: unknown;

  constructor(details: { capability: string; tag: string; reason: string; fix: string; failure: unknown }) {
    super(`${details.reason} — ${details.fix}`);
    this.capability = details.capability;
    this.tag = details.tag;
    this.reason = details.reason;
    this.fix = details.fix;
    this.failure = details.failure;
  }
}

/** The capability produced something its own contract cannot carry: a bug of the capability. */
export class CapabilityEncodingFailed extends Error {
  override readonly name = 'CapabilityEncodingFailed';
  constructor(
    readonly capability: string,
    readonly issue: string,
  ) {
    super(`${capability} produced what its contract cannot carry: ${issue}`);
  }
}
