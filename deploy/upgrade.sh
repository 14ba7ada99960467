#!/usr/bin/env bash
# Upgrades a running stack to the version in this folder: builds the images, makes a backup, migrates the database,
# replaces the containers and checks that the site works. If it fails, prints how to go back (docs/operations/upgrade.md).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
umask 077

usage() {
  cat <<'TEXT'
Usage: deploy/upgrade.sh [--no-pull | --no-build]

  --no-pull    build with the base images on this machine (without a registry)
  --no-build   use the images on this machine (after loading a bundle, or pulling those of a release)

Leaves a backup in backups/ of this folder.
TEXT
}

fail() {
  printf 'upgrade: %s\n' "$*" >&2
  exit 1
}

log() { printf '\n==> %s\n' "$*"; }

build=yes pull=(--pull)
case ${1:-} in
  '') ;;
  --no-pull) pull=() ;;
  --no-build) build='' ;;
  -h | --help) usage; exit 0 ;;
  *) usage >&2; exit 2 ;;
esac

[ -r .env ] || fail 'there is no .env here; for a first start run ./install.'
. deploy/find-compose.sh
. deploy/read-setting.sh
. deploy/replace-containers.sh
refuse_carriage_returns
check_compose_files
has_container postgres ||
  fail "the stack does not run here. Start the previous version, restore the files of this version, and run this again:
$(print_way_back)"

# Runs a command in PostgreSQL's container, where the tools match the server's version. The backup doesn't use `ops
# backup`, so that it works with every previous version.
in_postgres() { "${compose[@]}" exec -T postgres "$@"; }

# Succeeds if the operator has their own PostgreSQL. Then the stack's `postgres` container runs no server.
uses_own_servers() { [[ $(read_setting COMPOSE_FILE) == *docker-compose.external.yml* ]]; }

back_up() {
  if uses_own_servers; then
    file=/data/backups/before-upgrade-$time.dump
    "${compose[@]}" exec -T backup node ops/main.ts backup --output "$file" || fail 'the backup failed. The old version keeps running.'
    return
  fi
  mkdir -p backups
  trap 'rm -f "$file.part"' EXIT
  in_postgres pg_dump --username=website --format=custom --dbname=website >"$file.part" ||
    fail 'the backup failed. The old version keeps running.'
  # grep runs without --quiet so that it reads the whole list: if it stopped early, pg_restore would fail.
  in_postgres pg_restore --list <"$file.part" | grep 'TABLE DATA public contact_submissions' >/dev/null ||
    fail 'the backup does not contain the requests table. The old version keeps running.'
  mv "$file.part" "$file"
  (cd backups && sha256sum "${file#backups/}" >"${file#backups/}.sha256")
  log "Backup: $file ($(du -h "$file" | cut -f1))"
}

wait_until_ready() {
  local port address
  port=$(read_setting PORT)
  address=$(read_setting BIND_ADDRESS)
  # An IPv6 address may have brackets.
  address=${address#[}
  address=${address%]}
  case $address in '' | 0.0.0.0) address=127.0.0.1 ;; ::) address=::1 ;; esac
  for _ in $(seq 90); do
    if [ "$(get_status "$address" "${port:-3000}" /health/ready)" = 200 ] &&
      [ "$(get_status "$address" "${port:-3000}" /)" = 200 ]; then
      return 0
    fi
    sleep 1
  done
  return 1
}

# Prints a response's status. Uses Bash if curl is missing.
get_status() {
  local host=$1
  case $host in *:*) host="[$host]" ;; esac
  if command -v curl >/dev/null; then
    curl --silent --output /dev/null --write-out '%{http_code}' --max-time 5 --noproxy '*' \
      --header 'Host: localhost' "http://$host:$2$3" || true
  else
    (
      exec 3<>"/dev/tcp/$1/$2" || exit 0
      printf 'GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' "$3" >&3
      head -n 1 <&3 | cut -d' ' -f2
    ) 2>/dev/null || true
  fi
}

explain_rollback() {
  cat >&2 <<TEXT

The upgrade failed. The previous version works with this schema too. To go back to it:

$(print_way_back)

If the data itself is wrong, restore $file: docs/operations/restore.md
TEXT
  exit 1
}

if [ -n "$build" ]; then
  has_builds || fail "a release has nothing to build; nothing was changed. Pull its images instead:
  ${compose[*]} --profile publish pull web backup publish proxy
  deploy/upgrade.sh --no-build"
  log 'Building the images while the site keeps running'
  build_images "${pull[@]}" || fail 'the images could not be built; nothing was changed.' \
    ${pull[@]:+'If a base image could not be pulled, see above, --no-pull builds with those on this machine.'}
fi
log 'Checking the settings while the site keeps running'
check_settings || fail 'this version refuses the settings, see above; nothing was changed.'
# Each version builds into its own folder, so this doesn't affect the running site.
log 'Building your content with this version while the site keeps running'
"${compose[@]}" run --rm -T publish --upgrade || fail 'your content cannot be published with this version, see above; nothing was changed.'
# Back up after all checks, so that a failed check leaves no backup behind.
time=$(date -u +%Y%m%dT%H%M%SZ)
file=backups/before-upgrade-$time.dump
log 'Backing up'
back_up
log 'Migrating the database while the site keeps running'
run_once migrate || fail 'the migrations failed and were rolled back. The old version keeps running.'
log 'Replacing the containers'
replace_containers || explain_rollback
log 'Checking the new version'
wait_until_ready || explain_rollback
"${compose[@]}" run --rm -T ops doctor || log "The site answers, but the doctor reports problems, see above. Fix them, then check again:
  ${compose[*]} run --rm ops doctor"
log 'The upgrade is done.'
