#!/usr/bin/env bash
# Applies the settings and secrets of .env to the running stack. See --help.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'TEXT'
Usage: deploy/apply-settings.sh

Checks .env, and only if it is right: gives the services their new secrets, replaces web one by one, recreates what
else has other settings, and restarts worker and backup unless they were recreated. No request fails, unless the
proxy's own settings have changed (PUBLIC_URL, TLS, ports): it is recreated then, and its ports are closed for a second.
With a proxy of your own, web restarts once.

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
check_compose_files
has_container web || { echo "The stack does not run here: ${compose[*]} up -d" >&2; exit 1; }

check_settings || { echo 'Nothing was changed.' >&2; exit 1; }
# Recreated containers have the new secrets already. The others are restarted below.
services=(worker backup web)
declare -A before
for service in "${services[@]}"; do before[$service]=$(list_containers "$service"); done
replace_containers || {
  echo "Not everything could be replaced, see above; if it was migrate, \`${compose[*]} logs migrate\` and \`${compose[*]} run --rm ops doctor\`" \
    'say why. Mend it, and run this again: what restarts meanwhile gets the new secrets.' >&2
  exit 1
}
# Compose doesn't notice when only the content of a secret has changed.
restart=()
for service in "${services[@]}"; do
  if [[ ${before[$service]} == "$(list_containers "$service")" ]]; then restart+=("$service"); fi
done
if ((${#restart[@]})); then "${compose[@]}" restart "${restart[@]}"; fi
echo 'The settings and secrets of .env are in use.'
