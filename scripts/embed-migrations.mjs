// Writes the SQL files of the store into a module, so that both builds carry them without reading files.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '../libs/capabilities/src/stores/sql/migrations');
const escape = (text) => text.replace(/[\\`]|\$\{/g, '\\$&');
const read = (file) => `\`${escape(readFileSync(join(folder, file), 'utf8'))}\``;
const migrations = readdirSync(folder)
  .filter((file) => /^\d{4}_.*\.sql$/.test(file))
  .sort();

const entries = migrations.map(
  (file) => `  {
    version: ${Number(file.slice(0, 4))},
    name: '${file.slice(5, -4)}',
    sql: ${read(file)},
  },`,
);
writeFileSync(
  join(folder, 'migrations.ts'),
  `// Written by scripts/embed-migrations.mjs from the SQL files beside it: edit those.

/** One numbered change of the schema. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

/** Every migration, in order. */
export const MIGRATIONS: readonly Migration[] = [
${entries.join('\n')}
];

/** Grants of the least-privilege role \`capability_app\`; run it as the owner after the migrations. */
export const APP_ROLE_SQL = ${read('app-role.sql')};
`,
);
