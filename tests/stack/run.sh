#!/usr/bin/env bash
# Starts the stack's test with the project's own Node, which runs TypeScript.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

exec node scripts/setup.mjs --run tests/stack/run.ts
