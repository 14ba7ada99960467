#!/usr/bin/env bash
# Brings the settings and secrets of .env to the stack that runs. See --help.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'TEXT'
Usage: deploy/apply-settings.sh

Checks .env, and only if it is right: gives the services their new secrets, replaces web one by one, recreates what
else has other settings, and restarts worker and backup. No request fails, unless the proxy's own settings have
changed (PUBLIC_URL, TLS, ports): it is recreated then, and its ports are closed for a second.

For another POSTGRES_PASSWORD: docs/operations/settings-and-secrets.md
TEXT
}

case ${1:-} in
  '') ;;
  -h | --help) usage; exit 0 ;;
  *) usage >&2; exit 2 ;;
esac

. deploy/find-compose.sh
. deploy/read-setting.sh
. deploy/replace-containers.sh
refuse_carriage_returns
has_container web || { echo 'The stack does not run here: docker compose up -d' >&2; exit 1; }

"${compose[@]}" run --rm -T --no-deps settings || { echo 'Nothing was changed.' >&2; exit 1; }
replace_containers || { echo 'The new web does not start, see above; the old one runs on.' >&2; exit 1; }
# Compose does not see that the content of a secret has changed.
restart=(worker backup)
if has_web_a_port; then restart+=(web); fi
"${compose[@]}" restart "${restart[@]}"
