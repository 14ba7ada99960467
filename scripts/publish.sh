#!/usr/bin/env bash
# Publishes the owner's content: the entry point of the `publish` image. See --help.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
umask 022

usage() {
  cat <<'TEXT'
Usage: docker compose run --rm publish [--check | --preview | --back | --init]

Checks the folder CONTENT_DIR, builds the site from it, renders every page, and switches web to it. After an error the
site is unchanged.

  --check    only checks the folder, and lists remaining sample copy
  --preview  serves the new build at http://localhost:3001 (PREVIEW_PORT) until Ctrl-C, without switching
  --back     switches back to the previous build
  --init     copies the sample content into CONTENT_DIR, which must be empty

  --upgrade  for deploy/upgrade.sh: publishes only if something was published before
  --watch    publishes whenever the folder changes, and mails the result to ALERT_EMAIL
TEXT
}

fail() { printf 'publish: %s\n' "$*" >&2; exit 1; }

# Seconds to wait for more changes, because somebody may still be copying files.
QUIET=5

content=${CONTENT_DIR:-content}
run=(node)
# The image starts as root, because the content folder may be readable only by its owner.
if [ -n "${SITE_USER:-}" ] && [ "$(id -u)" = 0 ]; then
  run=(setpriv "--reuid=$SITE_USER" "--regid=$SITE_USER" --clear-groups node)
  chown "$SITE_USER:$SITE_USER" site
  export CONTENT_DIR=/var/tmp/content
fi

copy_content() {
  [ "$content" != "${CONTENT_DIR:-content}" ] || return 0
  rm -rf "$CONTENT_DIR"
  cp -R "$content" "$CONTENT_DIR"
  chown -R "$SITE_USER:$SITE_USER" "$CONTENT_DIR"
}

init() {
  [ -z "$(ls -A "$content")" ] || fail 'CONTENT_DIR is not empty; nothing was copied.'
  cp -R content/. "$content"
  chown -R --reference="$content" "$content"
  echo 'CONTENT_DIR now contains the sample content. Edit it, then publish.'
}

# The kernel releases the lock when the last process with this descriptor exits.
lock() {
  exec 9>site/.lock
  flock "$@" 9
}

# Includes the date, because articles can become due at midnight in the site's time zone.
describe_content() { { TZ=${TIME_ZONE:-UTC} date +%F; find "$content" -printf '%p %s %T@\n' | sort; } | sha256sum; }

watch() {
  local published='' now
  trap 'kill $(jobs -p) 2>/dev/null; exit 0' TERM INT
  while :; do
    now=$(describe_content)
    if [ "$now" != "$published" ]; then
      sleep "$QUIET" & wait $!
      [ "$now" = "$(describe_content)" ] || continue
      published=$now
      (lock; copy_content; exec "${run[@]}" scripts/publish.ts --mail) & wait $! || true
    fi
    sleep 2 & wait $!
  done
}

case ${1:-} in
  -h | --help) usage; exit 0 ;;
  --init) init; exit 0 ;;
  '' | --check | --preview | --back | --upgrade | --watch) ;;
  *) usage >&2; exit 2 ;;
esac
[ -n "$(ls -A "$content" 2>/dev/null)" ] || [ "${1:-}" = --upgrade ] ||
  fail 'CONTENT_DIR is empty. publish --init copies the sample content into it.'
[ -d site ] || fail 'there is no folder for builds (the volume `site`).'
if [ "${1:-}" = --watch ]; then watch; fi
lock --nonblock || fail 'another publish or preview is running.'
copy_content
exec "${run[@]}" scripts/publish.ts "$@"
