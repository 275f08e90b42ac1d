// Runs the demo from its TypeScript sources: `node test/demo/run-stdio.mjs --stdio mia`.
import { register } from 'node:module';

register('../mcp/fixture/typescript-loader.mjs', import.meta.url);
await import('../../src/main.ts');
