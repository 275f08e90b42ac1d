import { readFileSync } from 'node:fs';

export interface Snippet {
  /** Page and line of the fence. */
  readonly place: string;
  readonly language: string;
  readonly code: string;
}

/** Every fenced block of a Markdown page. */
export function snippetsOf(page: string): Snippet[] {
  const text = readFileSync(page, 'utf8');
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map((match) => ({
    place: `${page}:${text.slice(0, match.index).split('\n').length}`,
    language: match[1] ?? '',
    code: match[2] ?? '',
  }));
}
