/** The step of the plan that is being delivered: everything owed up to it must have a test. */
export const DUE_STEP = 4;

const range = (prefix: string, first: number, last: number): string[] =>
  Array.from(
    { length: last - first + 1 },
    (_, index) => `${prefix}${String(first + index).padStart(2, '0')}`,
  );

/** Which step owes which case (P, B) and which security invariant (SI). */
const OWED: Readonly<Record<number, readonly string[]>> = {
  1: [
    'P01',
    ...range('P', 3, 10),
    'P12',
    'P13',
    ...range('P', 15, 17),
    ...range('P', 19, 22),
    ...range('SI-', 1, 17),
    ...range('SI-', 33, 40),
  ],
  2: [
    'P23',
    'P24',
    ...range('B', 1, 12),
    'B14',
    'B15',
    ...range('B', 24, 26),
    ...range('B', 28, 30),
    ...range('SI-', 18, 21),
    ...range('SI-', 23, 29),
  ],
  3: ['P02', 'P11', 'P14', 'P18', ...range('B', 16, 21), 'B27', 'SI-22', 'SI-30', 'SI-31', 'SI-41'],
  4: ['B13', 'SI-32'],
  5: ['P25', ...range('B', 31, 35)],
  6: ['B23'],
  8: ['B22'],
};

/** Every id with the step that owes it. */
export const MANIFEST: ReadonlyMap<string, number> = new Map(
  Object.entries(OWED).flatMap(([step, ids]) => ids.map((id): [string, number] => [id, Number(step)])),
);
