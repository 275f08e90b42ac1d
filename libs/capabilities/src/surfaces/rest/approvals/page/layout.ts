import { createHash } from 'node:crypto';
import { type Content, Markup, markup } from './markup.js';
import { STYLE } from './style.js';

/** An HTML reply. */
export interface HtmlPage {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** No script, nothing from elsewhere, no frame around it; the one style sheet is named by its hash. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'self' 'sha256-${STYLE_HASH}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const PAGE_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
});

/** A whole page around its main part. */
export function layout(status: number, title: string, main: Content): HtmlPage {
  const page = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${new Markup(STYLE)}</style>
</head>
<body>
<main>
${main}
</main>
</body>
</html>
`;
  return { status, headers: PAGE_HEADERS, body: Buffer.from(page.text) };
}
