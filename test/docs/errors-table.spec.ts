import { readFileSync } from 'node:fs';
import { ERROR_TABLE, TOOL_ERROR_CODES } from 'nest-capabilities';

const PAGE = new URL('../../docs/reference/errors.md', import.meta.url);
const page = readFileSync(PAGE, 'utf8');

interface Documented {
  readonly reason: string;
  readonly code: string;
  readonly http: string;
  readonly retryable: string;
  readonly meaning: string;
  readonly remedy: string;
}

/** Rows whose first cell is a reason in code quotes and that have every column. */
function documentedRows(): readonly Documented[] {
  return page
    .split('\n')
    .filter((line) => /^\|\s*`[A-Z_]+`\s*\|/.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter((cells) => cells.length === 9)
    .map((cells) => ({
      reason: cells[1]!.replaceAll('`', ''),
      code: cells[2]!,
      http: cells[3]!,
      retryable: cells[5]!,
      meaning: cells[6]!,
      remedy: cells[7]!,
    }));
}

/** Rows that take code, status or retryability from the error itself. */
const BRINGS_ITS_OWN: ReadonlySet<string> = new Set(['HTTP_EXCEPTION', 'DECLARED_FAILURE', 'TOOL_ERROR']);
const rows = documentedRows();

describe('docs/reference/errors.md', () => {
  it('documents every reason of the table once, and no other', () => {
    expect(rows.map((row) => row.reason).sort()).toEqual(Object.keys(ERROR_TABLE).sort());
  });

  it.each(rows.filter((row) => !BRINGS_ITS_OWN.has(row.reason)))(
    'tells code, status and retryability of $reason as the table has them',
    ({ reason, code, http, retryable }) => {
      const row = ERROR_TABLE[reason as keyof typeof ERROR_TABLE];
      expect({ code, http, retryable: retryable !== 'no' }).toEqual({
        code: row.code,
        http: String(row.http),
        retryable: row.retryable,
      });
    },
  );

  it.each(rows)('tells what $reason means and what to do', ({ meaning, remedy }) => {
    expect(meaning).toMatch(/\.$/);
    expect(remedy).toMatch(/\.$/);
  });

  it('names every code', () => {
    for (const code of TOOL_ERROR_CODES) expect(page).toContain(code);
  });
});
