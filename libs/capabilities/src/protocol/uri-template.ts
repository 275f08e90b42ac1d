/** A URI template compiled to match concrete URIs and give its variables back. */
export interface UriTemplate {
  readonly variables: readonly string[];
  /** The percent-decoded variables, or undefined when the URI does not match. */
  match(uri: string): Readonly<Record<string, string>> | undefined;
}

const EXPRESSION = /\{(\+?)([A-Za-z_][A-Za-z0-9_]*)\}/g;

/**
 * Compiles a template of RFC 6570 with simple `{name}` (one path segment) and `{+name}` (anything) expressions.
 * Throws `TypeError` for any other expression, and for a variable used twice.
 */
export function compileUriTemplate(template: string): UriTemplate {
  const variables: string[] = [];
  let pattern = '';
  let end = 0;
  for (const match of template.matchAll(EXPRESSION)) {
    const [text, plus, name = ''] = match;
    if (variables.includes(name)) throw new TypeError(`The URI template ${template} uses ${name} twice.`);
    variables.push(name);
    pattern += literal(template, end, match.index) + (plus === '+' ? '(.+)' : '([^/?#]+)');
    end = match.index + text.length;
  }
  pattern += literal(template, end, template.length);
  if (variables.length === 0)
    throw new TypeError(`The URI template ${template} has no variable; use \`uri\`.`);
  const expression = new RegExp(`^${pattern}$`);
  return { variables, match: (uri) => matchUri(expression, variables, uri) };
}

function literal(template: string, start: number, end: number): string {
  const text = template.slice(start, end);
  if (/[{}]/.test(text))
    throw new TypeError(`The URI template ${template} uses an expression that is not supported.`);
  return text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

function matchUri(
  expression: RegExp,
  variables: readonly string[],
  uri: string,
): Readonly<Record<string, string>> | undefined {
  const found = expression.exec(uri);
  if (found === null) return undefined;
  try {
    return Object.fromEntries(
      variables.map((name, index) => [name, decodeURIComponent(found[index + 1] ?? '')]),
    );
  } catch {
    return undefined;
  }
}
