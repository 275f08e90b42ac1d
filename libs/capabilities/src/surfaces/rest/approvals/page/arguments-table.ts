import { isRecord, type Json } from '../../../../kernel/json.js';
import { type Markup, markup, untrusted } from './markup.js';

const INDENT = 2;

/** Every argument in full: one row each, as JSON. A value that is no object has one row without a name. */
export function argumentsTable(value: Json): Markup {
  const rows = isRecord(value) ? Object.entries(value) : [['', value] as const];
  if (rows.length === 0) return markup`<p>None.</p>`;
  return markup`<table>
    ${rows.map(([name, argument]) => row(name, argument))}
  </table>`;
}

const row = (name: string, argument: Json): Markup =>
  markup`<tr>
    <th scope="row">${untrusted(name)}</th>
    <td><pre>${lines(argument)}</pre></td>
  </tr> `;

/** Line by line: the breaks are the layout's, so they stay; those inside of texts are escaped by JSON. */
function lines(argument: Json): Markup {
  const written = JSON.stringify(argument, undefined, INDENT).split('\n');
  return markup`${written.map((line, index) => markup`${index === 0 ? '' : '\n'}${untrusted(line)}`)}`;
}
