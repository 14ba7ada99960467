#!/usr/bin/env bash
# Applies the settings and secrets in .env to the running stack. See --help.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'TEXT'
Usage: deploy/apply-settings.sh

Checks .env and stops if it has errors. Then gives the services their new secrets, replaces web's containers one by one,
recreates other services whose settings have changed, and restarts worker and backup unless they were recreated.
No request fails, with two exceptions: if the proxy's settings have changed (PUBLIC_URL, TLS, ports), its ports are
closed for a second, and if you use your own proxy, web restarts once.

To change POSTGRES_PASSWORD: docs/operations/settings-and-secrets.md
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
has_container web || { echo "The stack does not run here. Start it: ${compose[*]} up -d" >&2; exit 1; }

check_settings || { echo 'Nothing was changed.' >&2; exit 1; }
# Recreated containers already have the new secrets. Services that were not recreated are restarted below.
services=(worker backup web)
declare -A before
for service in "${services[@]}"; do before[$service]=$(list_containers "$service"); done
replace_containers || {
  echo "Some services could not be replaced, see above. If migrate failed, run \`${compose[*]} logs migrate\` and \`${compose[*]} run --rm ops doctor\`" \
    'to find the cause. Fix it and run this script again. Containers that restart before then get the new secrets.' >&2
  exit 1
}
# Compose doesn't notice if only a secret's content has changed.
restart=()
for service in "${services[@]}"; do
  if [[ ${before[$service]} == "$(list_containers "$service")" ]]; then restart+=("$service"); fi
done
if ((${#restart[@]})); then "${compose[@]}" restart "${restart[@]}"; fi
echo 'The settings and secrets of .env are in use.'
