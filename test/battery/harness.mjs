// Exports `t`, the driver of the battery, bound to the fixture that `npm run battery:serve` runs: the one whose
// `session.json` lies in the working directory, or in the folder that BATTERY_FOLDER names.
import { register } from 'node:module';

register('../mcp/fixture/typescript-loader.mjs', import.meta.url);
const { attachedDriver } = await import('./driver/attached-driver.ts');

export const t = attachedDriver(process.env.BATTERY_FOLDER ?? process.cwd());
