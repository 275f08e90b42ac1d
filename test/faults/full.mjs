// Runs the long loads: `npm run verify:full`. Needs PostgreSQL; takes several minutes.
import { register } from 'node:module';

register('../mcp/fixture/typescript-loader.mjs', import.meta.url);
const { runFull } = await import('./full.ts');
process.exitCode = await runFull();
