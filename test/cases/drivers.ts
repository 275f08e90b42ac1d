import type { CaseDriver } from './driver.js';
import { ASSISTANT } from './drivers/assistant.js';
import { DIRECT } from './drivers/direct.js';
import { MCP } from './drivers/mcp.js';
import { OPENAPI } from './drivers/openapi.js';
import { REST } from './drivers/rest.js';

/** Every surface that the cases run on: one line each. */
export const DRIVERS: readonly CaseDriver[] = [DIRECT, REST, ...MCP, ASSISTANT, OPENAPI];
