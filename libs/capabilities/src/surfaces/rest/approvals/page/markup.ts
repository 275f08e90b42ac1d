import { visibleParts } from './visible-text.js';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** HTML that is safe to send as it is. Made by {@link markup} and {@link untrusted} only. */
export class Markup {
  constructor(readonly text: string) {}
}

/** What may stand in a template; texts are escaped. */
export type Content = Markup | string | number | undefined | readonly Content[];

/** Writes HTML. Every text that is put in is escaped, for element content and quoted attribute values alike. */
export function markup(literals: TemplateStringsArray, ...contents: readonly Content[]): Markup {
  const parts = literals.map(
    (literal, index) => literal + (index < contents.length ? write(contents[index]) : ''),
  );
  return new Markup(parts.join(''));
}

/**
 * Text from outside, for people: kept apart from its surroundings (`bdi`), with whatever cannot be seen shown
 * as a marked escape.
 */
export function untrusted(text: string): Markup {
  const parts = visibleParts(text).map(({ text: part, escaped }) =>
    escaped ? `<code class="escape">${escapeHtml(part)}</code>` : escapeHtml(part),
  );
  return new Markup(`<bdi>${parts.join('')}</bdi>`);
}

function write(content: Content): string {
  if (content === undefined) return '';
  if (content instanceof Markup) return content.text;
  if (typeof content === 'object') return content.map(write).join('');
  return escapeHtml(String(content));
}

const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character]!);
