// Serves the battery's fixture for the shell; see the README.
import { register } from 'node:module';

register('../mcp/fixture/typescript-loader.mjs', import.meta.url);
const { serve } = await import('./serve.ts');
await serve(process.argv.slice(2));
