/** A class whose instances may be stored and rebuilt. */
export type StorableClass = abstract new (...args: never[]) => object;

/** Prototype → name. Two classes of one name get a number, in the order given. */
export function classNames(classes: readonly StorableClass[]): ReadonlyMap<object, string> {
  const names = new Map<object, string>();
  const seen = new Map<string, number>();
  for (const storable of classes) {
    const count = seen.get(storable.name) ?? 0;
    seen.set(storable.name, count + 1);
    names.set(storable.prototype as object, count === 0 ? storable.name : `${storable.name}#${count}`);
  }
  return names;
}
