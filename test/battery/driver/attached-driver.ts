import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Driver } from '../battery-case.js';
import type { FixtureConfig } from '../fixture/config.js';
import { BatteryDriver } from './driver.js';
import { BatterySession } from './session.js';

/** What a served fixture leaves for other processes. */
export interface SessionFile {
  readonly config: FixtureConfig;
  readonly tokens: Readonly<Record<string, string>>;
  readonly first: { readonly url: string; readonly control: string };
}

export const SESSION_FILE = 'session.json';

/** The driver of the fixture that is served from this folder. Nothing it opens keeps the process alive. */
export function attachedDriver(folder: string): Driver {
  const { config, tokens, first } = JSON.parse(
    readFileSync(join(folder, SESSION_FILE), 'utf8'),
  ) as SessionFile;
  const session = BatterySession.attach(config, tokens, first);
  return new BatteryDriver(session) as Driver;
}
