#!/usr/bin/env bash
# Installs the locked packages; skipped when node_modules already matches the lock file, except in CI.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ "${CI:-}" = true ] || [ ! node_modules/.package-lock.json -nt package-lock.json ]; then
  npm ci
fi
