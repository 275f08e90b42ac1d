import { markup, untrusted } from './markup.js';

describe('markup', () => {
  it('escapes every text for content and attribute alike, and nothing twice', () => {
    const inner = markup`<b>${'a & b'}</b>`;
    expect(markup`<p title="${`"'<>`}">${inner}${['<i>', 2]}${undefined}</p>`.text).toBe(
      '<p title="&quot;&#39;&lt;&gt;"><b>a &amp; b</b>&lt;i&gt;2</p>',
    );
  });
});

describe('untrusted', () => {
  it('keeps letters of every script, and spells out what cannot be seen', () => {
    expect(untrusted('Grüße, 注文, שלום 🙂').text).toBe('<bdi>Grüße, 注文, שלום 🙂</bdi>');
    expect(untrusted('a\u202Eb').text).toBe('<bdi>a<code class="escape">\\u{202E}</code>b</bdi>');
  });

  it.each([
    ['NUL', '\0'],
    ['line feed', '\n'],
    ['DELETE', '\u007F'],
    ['next line', '\u0085'],
    ['no-break space', '\u00A0'],
    ['soft hyphen', '\u00AD'],
    ['grapheme joiner', '\u034F'],
    ['Hangul filler', '\u3164'],
    ['Mongolian separator', '\u180E'],
    ['zero-width joiner', '\u200D'],
    ['line separator', '\u2028'],
    ['override', '\u202D'],
    ['isolate', '\u2067'],
    ['Braille blank', '\u2800'],
    ['ideographic space', '\u3000'],
    ['lone surrogate', '\uD800'],
    ['variation selector', '\uFE0F'],
    ['byte order mark', '\uFEFF'],
    ['tag letter', '\u{E0041}'],
    ['private use', '\uE000'],
  ])('spells out %s', (_name, character) => {
    const code = character.codePointAt(0)!.toString(16).toUpperCase();
    expect(untrusted(character).text).toBe(`<bdi><code class="escape">\\u{${code}}</code></bdi>`);
  });
});
