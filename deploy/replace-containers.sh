# Sourced by the scripts, after find-compose.sh: replaces containers by those of the images and settings of now, while
# visitors come in. decision 020
# shellcheck shell=bash

list_containers() { "${compose[@]}" ps -q "$1" | sort; }

# A port of this machine can only be one container's: with a proxy of the operator's own, web has one.
has_web_a_port() { [ -n "$(list_containers web | xargs --no-run-if-empty --max-lines=1 docker port)" ]; }

# `--scale SERVICE=N` for what runs more than once, so that it does afterwards.
list_scales() {
  local service count
  for service in web worker; do
    count=$("${compose[@]}" ps -q "$service" | wc -l)
    if [ "$count" -gt 1 ]; then printf -- '--scale %s=%s ' "$service" "$count"; fi
  done
}

# Responds, and the schema is there, or PostgreSQL is away: pages are served without.
wait_for_web() {
  for _ in $(seq 60); do
    if docker exec "$1" bash server/check-health.sh ready '"schema":"(current|unknown)"' 2>/dev/null; then return 0; fi
    sleep 1
  done
  docker logs --tail 20 "$1" >&2
  return 1
}

# What was started beside the containers in $1, so that the next replacement does not take it for one to keep.
remove_added_web() { comm -13 <(echo "$1") <(list_containers web) | xargs --no-run-if-empty docker rm --force >/dev/null; }

# Web one by one: a new one beside the old, and when it is ready, the old one completes its requests and ends.
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
      echo 'The new web does not start, see above; the old one runs on.' >&2
      return 1
    fi
    # From here on the new one is needed.
    trap '' INT TERM HUP
    # Its stop_grace_period.
    docker stop --time 30 "$container" >/dev/null
    docker rm "$container" >/dev/null
    trap - INT TERM HUP
  done
}

# All that differs from the files and .env of now. Fails before anything else is replaced where a new web does not start.
replace_containers() {
  local scales
  read -r -a scales <<<"$(list_scales)"
  # The one-shots are made anew. Where Compose 2.26 recreates one, it recreates all that depends on it: everything.
  "${compose[@]}" rm --force settings migrate >/dev/null
  if ! has_web_a_port; then replace_webs || return 1; fi
  "${compose[@]}" up -d --no-build --remove-orphans "${scales[@]}"
}
