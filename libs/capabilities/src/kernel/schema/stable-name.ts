import type { JsonSchema } from '../json.js';
import { referencedNames, renameReferences } from './schema-references.js';

/**
 * A name for an unnamed recursive part, made from its content and that of what it refers to: equal
 * parts get equal names in every boot and in every capability, different parts get different names.
 */
export function stableName(name: string, defs: ReadonlyMap<string, JsonSchema>): string {
  const order = [name];
  for (const next of order) {
    for (const referenced of referencedNames(defs.get(next) ?? {})) {
      if (!order.includes(referenced)) order.push(referenced);
    }
  }
  const parts = order.map((part) =>
    renameReferences(defs.get(part) ?? {}, (old) => String(order.indexOf(old))),
  );
  return `Schema_${fingerprint(JSON.stringify(parts))}`;
}

/** FNV-1a, 2 × 32 bits. Not a security hash; the contract entry must load in a browser, without `node:crypto`. */
function fingerprint(text: string): string {
  let low = 0x811c9dc5;
  let high = 0x01000193;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code, 0x85ebca6b);
  }
  return (low >>> 0).toString(36) + (high >>> 0).toString(36);
}
