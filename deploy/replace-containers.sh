# Sourced by the other scripts, after find-compose.sh. Replaces containers with new ones that use the current images and
# settings, while the site keeps serving visitors (decision 020).
# shellcheck shell=bash

list_containers() { "${compose[@]}" ps -q "$1" | sort; }

# Succeeds if web publishes a port on this machine, as with the operator's own proxy. Only one container can use it.
has_web_a_port() { [ -n "$(list_containers web | xargs --no-run-if-empty --max-lines=1 docker port)" ]; }

# Prints `--scale SERVICE=N` for each service with several containers, so that `up` keeps their number.
list_scales() {
  local service count
  for service in web worker; do
    count=$("${compose[@]}" ps -q "$service" | wc -l)
    if [ "$count" -gt 1 ]; then printf -- '--scale %s=%s ' "$service" "$count"; fi
  done
}

# Waits until web reports the current schema, or an unknown one, because it also serves pages without PostgreSQL.
wait_for_web() {
  for _ in $(seq 60); do
    if docker exec "$1" bash server/check-health.sh ready '"schema":"(current|unknown)"' 2>/dev/null; then return 0; fi
    sleep 1
  done
  docker logs --tail 20 "$1" >&2
  return 1
}

# Removes web's containers that are not listed in $1. Otherwise the next replacement would mistake them for old ones.
remove_added_web() { comm -13 <(echo "$1") <(list_containers web) | xargs --no-run-if-empty docker rm --force >/dev/null; }

# Replaces web's containers one by one: starts a new one, waits until it is ready, and stops an old one, which completes
# its requests.
replace_webs() {
  local old container before new
  mapfile -t old < <(list_containers web)
  for container in "${old[@]}"; do
    before=$(list_containers web)
    trap 'remove_added_web "$before"; exit 130' INT TERM HUP
    "${compose[@]}" up -d --no-build --no-recreate --scale web=$((${#old[@]} + 1)) web || return 1
    new=$(comm -13 <(echo "$before") <(list_containers web))
    if ! wait_for_web "$new"; then
      remove_added_web "$before"
      echo 'The new web does not start, see above. The old one keeps running.' >&2
      return 1
    fi
    # From here on a signal must not remove the new container.
    trap '' INT TERM HUP
    # The same as web's stop_grace_period.
    docker stop --time 30 "$container" >/dev/null
    docker rm "$container" >/dev/null
    trap - INT TERM HUP
  done
}

# Replaces all containers that differ from the current files and .env. Fails if a new web doesn't start, before any other
# service is replaced.
replace_containers() {
  local scales
  read -r -a scales <<<"$(list_scales)"
  # `up` creates the one-shot services again. If Compose 2.26 recreated one, it would also recreate every service that
  # depends on it, which is all of them.
  "${compose[@]}" rm --force settings migrate >/dev/null
  if ! has_web_a_port; then replace_webs || return 1; fi
  "${compose[@]}" up -d --no-build --remove-orphans "${scales[@]}"
}
