#!/usr/bin/env bash
# Exits with 0 if web's response to GET /health/$1 matches the regular expression $2. The image has no HTTP client.
set -euo pipefail

exec 3<>"/dev/tcp/127.0.0.1/${PORT:-3000}"
printf 'GET /health/%s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' "$1" >&3
timeout 5 grep --quiet --extended-regexp "$2" <&3
