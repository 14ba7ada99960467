#!/usr/bin/env bash
# Upgrades a running stack to the PostgreSQL major version of the files in this folder (docs/operations/upgrade.md).
# Stops at the first failure and prints how to go back.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
  cat <<'TEXT'
Usage: deploy/upgrade-postgres.sh [--no-build]

  --no-build   use the images on this machine (after loading a bundle)
TEXT
}

build=yes
case ${1:-} in
  '') ;;
  --no-build) build='' ;;
  -h | --help) usage; exit 0 ;;
  *) usage >&2; exit 2 ;;
esac

. deploy/find-compose.sh
. deploy/read-setting.sh
. deploy/replace-containers.sh
check_compose_files

prefix=${VOLUME_PREFIX:-$(read_setting VOLUME_PREFIX)}
volume=${prefix:-website}-postgres
time=$(date -u +%Y%m%dT%H%M%SZ)
old_volume=$volume-before-$time
backup=/data/backups/before-postgres-upgrade-$time.dump
stage=before

log() { printf '\n== %s\n' "$*"; }

copy_volume() {
  docker volume create "$2" > /dev/null
  # Uses the old database's image, because it is already on this machine.
  docker run --rm --user 0:0 --entrypoint cp -v "$1:/from:ro" -v "$2:/to" "$3" -a /from/. /to/
}

explain_failure() {
  local code=$?
  [ "$code" -eq 0 ] && return
  [ "$stage" = started ] && exit "$code"
  if [ "$stage" = before ]; then
    printf '\nNothing has changed. To go back to the old version:\n%s\n' "$(print_way_back)" >&2
  elif [ "$stage" = stopped ]; then
    # The volume may contain an incomplete copy, and the disk may be full.
    docker volume rm --force "$old_volume" > /dev/null || true
    printf '\nThe data is unchanged, and the site is stopped. To go back to the old version:\n%s\n' "$(print_way_back)" >&2
  else
    printf '\nThe old data is in the volume %s, the backup in %s.\nTo go back:\n' "$old_volume" "$backup" >&2
    printf '  %s down\n  docker volume rm %s\n  docker volume create %s\n' "${compose[*]}" "$volume" "$volume" >&2
    printf '  docker run --rm --user 0:0 --entrypoint cp -v %s:/from:ro -v %s:/to %s -a /from/. /to/\n' \
      "$old_volume" "$volume" "$image" >&2
    print_way_back >&2
  fi
  exit "$code"
}
trap explain_failure EXIT

container=$("${compose[@]}" ps -q postgres)
tools=$("${compose[@]}" ps -q backup)
if [ -z "$container" ] || [ -z "$tools" ]; then
  echo 'The postgres and backup services of the old version must be running.' >&2
  exit 1
fi
image=$(docker inspect --format '{{.Image}}' "$container")

# The size of the files to copy and the free space on their disk, in KiB.
{ read -r used; read -r free; } < <(docker run --rm --user 0:0 --entrypoint sh -v "$volume:/from:ro" "$image" -c \
  'du -sk /from | cut -f 1; df -Pk /from | tail -n 1 | tr -s " " | cut -d " " -f 4')
if [ "$free" -lt "$used" ]; then
  printf 'A copy of the old files needs %s MB, but only %s MB are free.\n' $((used / 1024)) $((free / 1024)) >&2
  exit 1
fi

# A hold started by an operator or a restore stays in place. Only a person may release it.
was_held=$(docker exec "$container" psql --username=website --no-align --tuples-only \
  --command='select count(*) from delivery_hold')

if [ -n "$build" ]; then
  log 'Building the new images'
  build_images
fi
# `run` pulls missing images. Pull them now, because a failure after the old volume is deleted would be harder to undo.
for service in postgres redis; do
  run_once --entrypoint true "$service"
done

log 'Checking the settings while the site keeps running'
check_settings

read -r -a scales <<<"$(list_scales)"
log 'Stopping proxy, web and worker'
stage=stopped
for service in proxy web worker; do
  # With the operator's own reverse proxy, there is no `proxy` container.
  if has_container "$service"; then "${compose[@]}" stop "$service"; fi
done

log 'Making a backup with the old tools'
docker exec "$tools" node ops/main.ts backup --output "$backup"

log "Keeping the old files in the volume $old_volume"
"${compose[@]}" down
copy_volume "$volume" "$old_volume" "$image"

log 'Creating a new database'
stage=after
docker volume rm "$volume" > /dev/null
"${compose[@]}" run --rm -T migrate
"${compose[@]}" run --rm -T ops restore "$backup"
"${compose[@]}" run --rm -T migrate
if [ "$was_held" = 0 ]; then
  # Nothing was sent or erased after the backup, so nothing is sent twice, and the backup's own list of erased people is
  # the newest. The erasure log may be missing, because the old version created its file at the first erasure.
  "${compose[@]}" run --rm -T ops deliveries release --yes --without-erasures
else
  log "Deliveries were on hold before the upgrade and still are. To release them: ${compose[*]} run --rm ops deliveries release"
fi

log 'Starting the site'
"${compose[@]}" up -d --no-build "${scales[@]}"
# From here on visitors send data that the old files lack, so the steps to go back are no longer printed.
stage=started
"${compose[@]}" run --rm -T ops doctor || printf '\nThe site runs on the new database, but the doctor found problems, see above.\n'
log "Done. Once the site works, delete the old files and the backup, which contain personal data:"
printf '  %s\n' "docker volume rm $old_volume" "${compose[*]} run --rm --no-deps --entrypoint rm ops $backup $backup.sha256"
