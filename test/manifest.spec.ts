import { readFileSync } from 'node:fs';
import { DUE_STEP, MANIFEST } from './manifest.js';
import { citedIds, typeScriptFiles } from './support/cited-ids.js';

describe('the manifest of cases and invariants', () => {
  const files = ['test', 'libs/capabilities/src'].flatMap(typeScriptFiles);
  const cited = new Set(files.flatMap(citedIds));

  it('has a test for every id that is due', () => {
    const due = [...MANIFEST].filter(([, step]) => step <= DUE_STEP).map(([id]) => id);
    expect(due.filter((id) => !cited.has(id))).toEqual([]);
  });

  it('knows every id that a test cites', () => {
    expect([...cited].filter((id) => !MANIFEST.has(id))).toEqual([]);
  });

  it('lists 25 public cases and 35 of the battery', () => {
    const count = (prefix: string): number =>
      [...MANIFEST.keys()].filter((id) => id.startsWith(prefix)).length;
    expect([count('P'), count('B')]).toEqual([25, 35]);
  });

  it('lists the invariants of docs/security-invariants.md and no others', () => {
    const documented = readFileSync('docs/security-invariants.md', 'utf8').match(/^\| (SI-\d{2}) /gm) ?? [];
    const ids = documented.map((row) => row.slice(2, -1));
    expect([...ids].sort()).toEqual([...MANIFEST.keys()].filter((id) => id.startsWith('SI-')).sort());
  });
});
