import type { DtoClass } from '../standard-schema.js';

/** One class-validator rule of a property. */
export interface DtoRule {
  /** The validator's name, such as `isString`. */
  readonly name: string;
  readonly kind: 'check' | 'nested' | 'conditional' | 'allow';
  readonly constraints: readonly unknown[];
  /** Applied to the items of an array. */
  readonly each: boolean;
  /** Its message writes the rejected value out. */
  readonly echoes: boolean;
}

/** A class that `@Type()` names, with the value that selects it where there are several. */
export interface DtoSubtype {
  readonly type: DtoClass;
  readonly value: string;
}

/** A property that is input: it has at least one rule. */
export interface DtoProperty {
  /** Name on the class. */
  readonly property: string;
  /** Name on the wire: `@Expose({ name })`, else the property. */
  readonly key: string;
  readonly rules: readonly DtoRule[];
  /** `design:type`. */
  readonly designType: unknown;
  /** What `@Type()` returns. */
  readonly type: unknown;
  readonly discriminator: { readonly property: string; readonly subtypes: readonly DtoSubtype[] } | undefined;
  /** True when `@Transform()` or `@Type()` may change the value. */
  readonly changes: boolean;
  /** Value of the property initialiser. */
  readonly defaultValue: unknown;
  /** What `@ApiProperty()` recorded. */
  readonly api: Readonly<Record<string, unknown>>;
}

export type DtoReader = (dto: DtoClass) => readonly DtoProperty[];
