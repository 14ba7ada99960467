#!/usr/bin/env bash
# Exits with 0 if web responds with 200 through the proxy. Uses Bash only, because the image has no HTTP client.
set -euo pipefail

exec 3<>"/dev/tcp/127.0.0.1/${PROXY_PLAIN_PORT:-3000}"
printf 'GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' >&3
IFS=' ' read -r -t 4 _ status _ <&3

[[ $status == 200 ]]
