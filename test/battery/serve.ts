import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { SESSION_FILE, type SessionFile } from './driver/attached-driver.js';
import { hangUp } from './driver/http.js';
import { BatterySession } from './driver/session.js';
import { ADAPTERS, STORES } from './fixture/config.js';

/** Serves one fixture for the shell until it is interrupted, with the files that `prelude.sh` expects. */
export async function serve(argv: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      store: { type: 'string', default: 'memory' },
      adapter: { type: 'string', default: 'express' },
      port: { type: 'string', default: '3000' },
      folder: { type: 'string', default: '.tmp/battery' },
    },
  });
  const store = STORES.find((name) => name === values.store);
  const adapter = ADAPTERS.find((name) => name === values.adapter);
  if (store === undefined || adapter === undefined)
    throw new Error(`--store ${STORES.join('|')} --adapter ${ADAPTERS.join('|')}`);
  const folder = resolve(values.folder);
  rmSync(folder, { recursive: true, force: true });
  const session = await BatterySession.open({ store, adapter, port: Number(values.port), folder });
  writeFiles(folder, session);
  const { url, pid } = session.first;
  const main = join(import.meta.dirname, 'fixture/run.mjs');
  console.log(`cd ${folder}; export B=${url} PID=${pid} MAIN=${main}; . ./prelude.sh`);
  const stop = (): void => {
    hangUp();
    void session.close().then(() => process.exit(0));
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  await session.first.exited;
  await session.close();
}

function writeFiles(folder: string, { config, tokens, first }: BatterySession): void {
  mkdirSync(join(folder, '.tokens'));
  for (const [name, token] of Object.entries(tokens)) writeFileSync(join(folder, '.tokens', name), token);
  const file: SessionFile = { config, tokens, first: { url: first.url, control: first.controlUrl } };
  writeFileSync(join(folder, SESSION_FILE), JSON.stringify(file));
  copyFileSync(join(import.meta.dirname, 'prelude.sh'), join(folder, 'prelude.sh'));
  const harness = join(import.meta.dirname, 'harness.mjs');
  writeFileSync(join(folder, 'harness.mjs'), `export { t } from ${JSON.stringify(harness)};\n`);
}
