const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
];

const words = new Intl.RelativeTimeFormat('en', { numeric: 'always' });

/** A span from now in the largest unit that fits, such as "in 14 minutes"; milliseconds. */
export function relativeTime(span: number): string {
  const [unit, size] = UNITS.find((each) => Math.abs(span) >= each[1]) ?? UNITS.at(-1)!;
  return words.format(Math.trunc(span / size), unit);
}
