/**
 * What a reader cannot see, or what moves text around: control, format (bidi, zero-width, tags), unassigned,
 * private and surrogate code points, default ignorables (Hangul fillers, variation selectors), line and
 * paragraph separators, the blank Braille cell, and every space but the ordinary one.
 */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

/** A run of text: as it is, or the escape of one invisible code point. */
export interface TextPart {
  readonly text: string;
  readonly escaped: boolean;
}

/** Splits a text so that every invisible code point stands as `\u{…}`. */
export function visibleParts(text: string): readonly TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const match of text.matchAll(INVISIBLE)) {
    if (match.index > end) parts.push({ text: text.slice(end, match.index), escaped: false });
    parts.push({ text: escapeOf(match[0]), escaped: true });
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push({ text: text.slice(end), escaped: false });
  return parts;
}

const escapeOf = (character: string): string =>
  `\\u{${character.codePointAt(0)!.toString(16).toUpperCase()}}`;
