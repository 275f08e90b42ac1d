/** A primitive that a constraint may compare with. */
export type ConstraintValue = string | number | boolean;

/** Operators over one top-level input field; a bare primitive means `eq`. */
export type Constraint =
  | ConstraintValue
  | {
      readonly eq?: ConstraintValue;
      readonly min?: number;
      readonly max?: number;
      readonly in?: readonly ConstraintValue[];
      readonly not_in?: readonly ConstraintValue[];
    };

export type Constraints = Readonly<Record<string, Constraint>>;

/** One reason why constraints cannot be granted. */
export interface ConstraintProblem {
  readonly field: string;
  readonly problem: string;
}

const OPERATORS: ReadonlySet<string> = new Set(['eq', 'min', 'max', 'in', 'not_in']);

const isValue = (value: unknown): value is ConstraintValue =>
  typeof value === 'string' ||
  typeof value === 'boolean' ||
  (typeof value === 'number' && Number.isFinite(value));

const isList = (value: unknown): value is readonly ConstraintValue[] =>
  Array.isArray(value) && value.length > 0 && value.every(isValue);

/** Problems of constraints about to be granted: unknown or empty operators, values of the wrong type. */
export function checkConstraints(
  constraints: Readonly<Record<string, unknown>>,
): readonly ConstraintProblem[] {
  return Object.entries(constraints).flatMap(([field, constraint]) =>
    operatorProblems(constraint).map((problem) => ({ field, problem })),
  );
}

function operatorProblems(constraint: unknown): readonly string[] {
  if (isValue(constraint)) return [];
  if (typeof constraint !== 'object' || constraint === null || Array.isArray(constraint)) {
    return ['must be a string, a finite number, a boolean or an object of operators'];
  }
  const entries = Object.entries(constraint);
  if (entries.length === 0) return ['has no operator'];
  return entries.flatMap(([operator, value]) => {
    if (!OPERATORS.has(operator)) return [`unknown operator "${operator}"; use ${[...OPERATORS].join(', ')}`];
    if (operator === 'min' || operator === 'max') {
      return typeof value === 'number' && Number.isFinite(value)
        ? []
        : [`${operator} must be a finite number`];
    }
    if (operator === 'eq') return isValue(value) ? [] : ['eq must be a string, a finite number or a boolean'];
    return isList(value)
      ? []
      : [`${operator} must be a non-empty list of strings, finite numbers or booleans`];
  });
}

/**
 * True when `value` passes `constraint`. A missing, NaN, array or object value violates
 * every operator, and so does a constraint that could not have been granted.
 */
function satisfies(constraint: unknown, value: unknown): boolean {
  if (!isValue(value) || operatorProblems(constraint).length > 0) return false;
  if (isValue(constraint)) return value === constraint;
  const { eq, min, max, in: among, not_in: notAmong } = constraint as Exclude<Constraint, ConstraintValue>;
  return (
    (eq === undefined || value === eq) &&
    (min === undefined || (typeof value === 'number' && value >= min)) &&
    (max === undefined || (typeof value === 'number' && value <= max)) &&
    (among === undefined || among.includes(value)) &&
    (notAmong === undefined || !notAmong.includes(value))
  );
}

/** Fields whose value violates the constraints; only own properties count as present. */
export function violations(
  constraints: Readonly<Record<string, unknown>>,
  input: Readonly<Record<string, unknown>>,
): readonly string[] {
  return Object.entries(constraints)
    .filter(
      ([field, constraint]) => !satisfies(constraint, Object.hasOwn(input, field) ? input[field] : undefined),
    )
    .map(([field]) => field);
}

/**
 * True when everything that `wanted` allows, `existing` allows too. Compared over the
 * existing grant's fields: a field that `wanted` leaves open is wider, not covered.
 */
export function covers(existing: Constraints, wanted: Constraints): boolean {
  return Object.entries(existing).every(
    ([field, constraint]) => Object.hasOwn(wanted, field) && narrower(wanted[field]!, constraint),
  );
}

function narrower(wanted: Constraint, existing: Constraint): boolean {
  if (operatorProblems(wanted).length > 0 || operatorProblems(existing).length > 0) return false;
  const values = finiteValues(wanted);
  if (values !== undefined) return values.every((value) => satisfies(existing, value));
  const inner = wanted as Exclude<Constraint, ConstraintValue>;
  if (isValue(existing) || existing.eq !== undefined || existing.in !== undefined) return false;
  return (
    (existing.min === undefined || (inner.min !== undefined && inner.min >= existing.min)) &&
    (existing.max === undefined || (inner.max !== undefined && inner.max <= existing.max)) &&
    (existing.not_in === undefined || existing.not_in.every((value) => !satisfies(wanted, value)))
  );
}

/** The values a constraint admits, where they are listed. */
function finiteValues(constraint: Constraint): readonly ConstraintValue[] | undefined {
  if (isValue(constraint)) return [constraint];
  const listed = constraint.eq === undefined ? constraint.in : [constraint.eq];
  return listed?.filter((value) => satisfies(constraint, value));
}
