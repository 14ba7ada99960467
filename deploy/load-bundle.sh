#!/usr/bin/env bash
# Loads the images of an unpacked bundle. See --help.
set -euo pipefail

usage() {
  cat <<'TEXT'
Usage: deploy/load-bundle.sh

Run this in the folder of an unpacked bundle (deploy/bundle.sh makes bundles). Verifies the checksum of every
file and loads the images into Docker. Starts nothing and changes no settings. You can run it again.
TEXT
}

fail() { printf 'deploy/load-bundle.sh: %s\n' "$*" >&2; exit 1; }

case ${1:-} in
  '') ;;
  --help | -h) usage; exit 0 ;;
  *) usage >&2; exit 2 ;;
esac

cd "$(dirname "${BASH_SOURCE[0]}")/.."
[[ -f SHA256SUMS && -f images.tar.gz ]] || fail "$PWD is not an unpacked bundle."
docker info >/dev/null 2>&1 || fail 'Docker does not respond. Check that it is running and that you may use it.'
sha256sum --check --quiet SHA256SUMS || fail 'Files are damaged or changed: copy the bundle again.'

echo 'Loading images …'
docker load --quiet --input images.tar.gz >/dev/null
while read -r image; do
  docker image inspect "$image" >/dev/null 2>&1 || fail "The bundle has no image $image."
done < images.txt

cat <<'TEXT'
The images are loaded. For a first start:
  ./install
  docker compose up -d --no-build
To upgrade a running stack, see docs/operations/upgrade.md.
TEXT
