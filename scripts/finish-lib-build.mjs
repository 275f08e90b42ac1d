// Marks the CommonJS half of the library as such and copies the SQL migrations beside the code that reads them.
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const library = join(import.meta.dirname, '..', 'libs', 'capabilities');
const migrations = join('stores', 'sql', 'migrations');

for (const half of ['dist', join('dist', 'cjs')]) {
  mkdirSync(join(library, half), { recursive: true });
  const source = join(library, 'src', migrations);
  if (existsSync(source)) cpSync(source, join(library, half, migrations), { recursive: true });
}
writeFileSync(join(library, 'dist', 'cjs', 'package.json'), '{ "type": "commonjs" }\n');
