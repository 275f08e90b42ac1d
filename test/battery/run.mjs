// Runs the battery from its TypeScript sources; see the README.
import { register } from 'node:module';

register('../mcp/fixture/typescript-loader.mjs', import.meta.url);
const { runBattery } = await import('./runner.ts');
try {
  process.exitCode = await runBattery(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  console.log('0 passed, 1 failed');
  process.exitCode = 1;
}
