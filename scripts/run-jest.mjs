// Runs Jest in ESM mode and closes with `N passed, N failed`, counting tests.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'capabilities-jest-'));
const report = join(folder, 'report.json');
const jest = spawn(
  process.execPath,
  [
    '--experimental-vm-modules',
    'node_modules/jest/bin/jest.js',
    '--json',
    `--outputFile=${report}`,
    ...process.argv.slice(2),
  ],
  { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, NODE_NO_WARNINGS: '1' } },
);
jest.on('exit', (code) => {
  let failed = 1;
  let passed = 0;
  try {
    const result = JSON.parse(readFileSync(report, 'utf8'));
    passed = result.numPassedTests;
    failed = result.numFailedTests + result.numRuntimeErrorTestSuites;
  } finally {
    rmSync(folder, { recursive: true, force: true });
    console.log(`${passed} passed, ${failed} failed`);
    process.exitCode = code === 0 && failed === 0 && passed > 0 ? 0 : 1;
  }
});
