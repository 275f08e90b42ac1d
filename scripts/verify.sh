#!/usr/bin/env bash
# Installs, builds, checks and tests. The last line is `N passed, N failed`, counting tests.
set -euo pipefail
cd "$(dirname "$0")/.."
bash scripts/install.sh
npm run build
npm run check
exec node scripts/run-jest.mjs "$@"
