#!/usr/bin/env bash
# Packs the whole stack into one file for a machine without internet. See --help.
set -euo pipefail

usage() {
  cat <<'TEXT'
Usage: deploy/bundle.sh [--version VERSION] [--pull] [FOLDER]

Builds the images and writes to FOLDER (the current folder by default)

  website-VERSION.tar         images, compose files, example settings, scripts, alert rules, documentation, SBOMs
  website-VERSION.tar.sha256  its checksum

Needs Docker, git, an internet connection, and about 3 GB of free disk. VERSION defaults to package.json's version.
Uses the base images and the PostgreSQL and Redis images on this machine, and pulls missing ones. --pull pulls the
newest version of each.

For the steps on the other machine, see docs/operations/install.md.
TEXT
}

fail() { printf 'deploy/bundle.sh: %s\n' "$*" >&2; exit 1; }

# Files packed with the images. Untracked files are not packed, because they may contain this machine's settings.
FILES=(docker-compose.yml docker-compose.own-proxy.yml docker-compose.external.yml .env.example
  install deploy monitoring docs SECURITY.md CHANGELOG.md)
TARGETS=(site ops publish proxy)

version='' pull=() output=.
while (($#)); do
  case $1 in
    --help | -h) usage; exit 0 ;;
    --version) version=${2:-}; [[ -n $version ]] || fail '--version needs a value.'; shift 2 ;;
    --pull) pull=(--pull); shift ;;
    -*) usage >&2; fail "$1 is not an option." ;;
    *) output=$1; shift ;;
  esac
done

[[ -d $output ]] || fail "$output is not a folder."
output=$(cd "$output" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/.."
for program in docker git gzip sha256sum tar; do
  command -v "$program" >/dev/null || fail "$program is not installed."
done
docker info >/dev/null 2>&1 || fail 'Docker does not respond. Check that it is running and that you may use it.'
git ls-files --error-unmatch -- "${FILES[@]}" >/dev/null || fail 'This is not a complete checkout.'

[[ -n $version ]] || version=$(sed -nE 's/^  "version": "([^"]+)",$/\1/p' package.json)
[[ $version =~ ^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$ ]] || fail "'$version' is not a valid image tag."
revision=$(git rev-parse HEAD)
[[ -z $(git status --porcelain) ]] || revision+=-changed
created=$(date -u +%Y-%m-%dT%H:%M:%SZ)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH DOCKER_BUILDKIT=1

work=$(mktemp -d "$output/.bundle-XXXXXX")
trap 'rm -rf "$work"' EXIT
packed=$work/website
mkdir -p "$packed/sbom"

for target in "${TARGETS[@]}"; do
  image=website-$target:$version
  echo "Building $image …"
  docker build --quiet "${pull[@]}" --target "$target" --tag "$image" \
    --build-arg "VERSION=$version" --build-arg "REVISION=$revision" --build-arg "CREATED=$created" \
    --build-arg "SOURCE_DATE_EPOCH=$SOURCE_DATE_EPOCH" . >/dev/null
  # The other images have no SBOM: the proxy has no npm packages, and `publish` has every package in package-lock.json.
  [[ $target != site && $target != ops ]] || docker run --rm --network none --entrypoint cat "$image" /sbom.cdx.json \
    > "$packed/sbom/website-$target.cdx.json"
done

git ls-files -z -- "${FILES[@]}" | tar --create --null --files-from=- | tar --extract -C "$packed"
IMAGE_PREFIX=website VERSION=$version deploy/release.sh compose >"$packed/docker-compose.yml"

mapfile -t images < <(sed -nE "s/^ *image: *'?([^' ]+).*\$/\1/p" "$packed/docker-compose.yml" | sort --unique)
for image in "${images[@]}"; do
  if [[ $image != website-* && ${#pull[@]} -gt 0 ]] || ! docker image inspect "$image" >/dev/null 2>&1; then
    docker pull "$image"
  fi
  # An image loaded from a file has a tag but no digest, so the bundle refers to it by tag.
  if [[ $image == *@* ]]; then docker tag "$image" "${image%@*}"; fi
done
images=("${images[@]%@*}")
sed -i -E 's/@sha256:[0-9a-f]{64}//' "$packed/docker-compose.yml"
printf '%s\n' "${images[@]}" > "$packed/images.txt"
echo "Saving ${images[*]} …"
docker save "${images[@]}" | gzip --no-name --fast > "$packed/images.tar.gz"

(cd "$packed" && find . -type f ! -name SHA256SUMS -print0 | sort --zero-terminated |
  xargs --null sha256sum > SHA256SUMS)
name=website-$version.tar
tar --create --file "$work/$name" --directory "$work" --sort=name --owner=0 --group=0 \
  --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" website
(cd "$work" && sha256sum "$name" > "$name.sha256")
mv "$work/$name" "$work/$name.sha256" "$output/"
echo "Wrote $output/$name ($(du --human-readable "$output/$name" | cut --fields=1)) and its .sha256."
