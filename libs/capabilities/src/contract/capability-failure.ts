const BRAND = Symbol.for('nest-capabilities.CapabilityFailure');

/** A declared failure: throw it from a handler whose capability declares `tag` under `failures`. */
export class CapabilityFailure extends Error {
  readonly [BRAND] = true;
  readonly tag: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Next step in this occurrence; undefined: the declared `fix`. */
  readonly fix: string | undefined;

  /** `message` defaults to `fields.message`, then to the tag. */
  constructor(
    tag: string,
    fields: Readonly<Record<string, unknown>> = {},
    options: { message?: string; fix?: string } = {},
  ) {
    super(options.message ?? (typeof fields['message'] === 'string' ? fields['message'] : tag));
    this.name = 'CapabilityFailure';
    this.tag = tag;
    this.fields = fields;
    this.fix = options.fix;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && BRAND in value;
  }
}
