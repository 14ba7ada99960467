#!/usr/bin/env bash
# Ends with 0 when a request gets through the proxy to web and back. Bash alone: the image has no
# program that speaks HTTP.
set -euo pipefail

exec 3<>"/dev/tcp/127.0.0.1/${PROXY_PLAIN_PORT:-3000}"
printf 'GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' >&3
IFS=' ' read -r -t 4 _ status _ <&3

[[ $status == 200 ]]
