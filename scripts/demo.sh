#!/usr/bin/env bash
# Installs, builds and starts the demo. Options: --adapter express|fastify; PORT (default 3000).
set -euo pipefail
cd "$(dirname "$0")/.."
bash scripts/install.sh
npm run build
exec node dist/main.js "$@"
