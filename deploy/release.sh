#!/usr/bin/env bash
# Publishes a version: signed images for two architectures, and the files for installing without a clone. See --help.
set -euo pipefail

usage() {
  cat <<'TEXT'
Usage: deploy/release.sh compose | images | publish FOLDER

  compose          prints the compose file of a release: docker-compose.yml with published images
  images           builds the images for this machine's architecture and pushes them, with SBOM and provenance
  publish FOLDER   joins the images of all architectures under the version, signs them (cosign, keyless), and writes
                   website-VERSION.tar.gz, docker-compose.yml and SHA256SUMS to FOLDER

IMAGE_PREFIX names the owner's registry, like registry.example.com/website. The images are PREFIX-site, PREFIX-ops,
PREFIX-publish and PREFIX-proxy. Their tag is VERSION, by default package.json's version. Log in to the registry first
(docker login). images and publish need Docker with buildx and git; publish also needs cosign.
.github/workflows/release.yml runs this script. See docs/releasing.md.
TEXT
}

fail() { printf 'deploy/release.sh: %s\n' "$*" >&2; exit 1; }

ARCHITECTURES=(amd64 arm64)
TARGETS=(site ops publish proxy)
# Files packed with the compose file. Untracked files are not packed.
FILES=(.env.example install deploy docker-compose.own-proxy.yml docker-compose.external.yml
  monitoring docs SECURITY.md CHANGELOG.md)

# Prints docker-compose.yml with published images instead of builds. Some patterns match comments in that file.
write_compose() {
  sed -E \
    -e '/^x-versions:/,/^$/d' -e '/^# Version and revision in the images/d' -e '/^# Adds the time of the build/,/^$/d' \
    -e "s|build: \{ context: \., target: ([a-z]+), args: \*[a-z-]+ \}|image: '$IMAGE_PREFIX-\1:$version'|" \
    -e '/^  # The build has no image name/,/^  # built at the same time/d' \
    docker-compose.yml
}

require_prefix() {
  [[ ${IMAGE_PREFIX:-} =~ ^[a-z0-9][a-z0-9._:/-]*$ ]] || fail "IMAGE_PREFIX must be like registry.example.com/website; it is '${IMAGE_PREFIX:-}'."
}

require_release() {
  [[ -z $(git status --porcelain) ]] || fail 'There are uncommitted changes.'
  [[ ${GITHUB_REF_NAME:-v$version} == "v$version" ]] || fail "The tag is $GITHUB_REF_NAME, but package.json has version $version."
}

detect_architecture() {
  case $(uname -m) in
    x86_64) echo amd64 ;;
    aarch64) echo arm64 ;;
    *) fail "There are no images for $(uname -m)." ;;
  esac
}

push_images() {
  local architecture target
  architecture=$(detect_architecture)
  for target in "${TARGETS[@]}"; do
    docker buildx build --pull --push --platform "linux/$architecture" --target "$target" \
      --sbom=true --provenance=mode=max --tag "$IMAGE_PREFIX-$target:$version-$architecture" \
      --build-arg "VERSION=$version" --build-arg "REVISION=$(git rev-parse HEAD)" \
      --build-arg "CREATED=$(date -u +%Y-%m-%dT%H:%M:%SZ)" \
      --build-arg "SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)" .
  done
}

# Joins the images of all architectures and signs them by digest, because a tag can be moved after signing.
join_and_sign() {
  local target digest
  for target in "${TARGETS[@]}"; do
    docker buildx imagetools create --tag "$IMAGE_PREFIX-$target:$version" \
      "${ARCHITECTURES[@]/#/$IMAGE_PREFIX-$target:$version-}"
    digest=$(docker buildx imagetools inspect --format '{{.Manifest.Digest}}' "$IMAGE_PREFIX-$target:$version")
    cosign sign --yes "$IMAGE_PREFIX-$target@$digest"
  done
}

pack_files() {
  local packed
  # Not local, because the trap runs after this function has returned.
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  packed=$work/website
  mkdir "$packed"
  git ls-files -z -- "${FILES[@]}" | tar --create --null --files-from=- | tar --extract -C "$packed"
  write_compose | tee "$1/docker-compose.yml" >"$packed/docker-compose.yml"
  tar --create --gzip --file "$1/website-$version.tar.gz" --directory "$work" --sort=name --owner=0 --group=0 \
    --numeric-owner --mtime="@$(git log -1 --format=%ct)" website
  (cd "$1" && sha256sum "website-$version.tar.gz" docker-compose.yml >SHA256SUMS)
}

cd "$(dirname "${BASH_SOURCE[0]}")/.."
version=${VERSION:-$(sed -nE 's/^  "version": "([^"]+)",$/\1/p' package.json)}
case ${1:-} in
  compose) require_prefix; write_compose ;;
  images) require_prefix; require_release; push_images ;;
  publish)
    [[ -d ${2:-} ]] || fail "'${2:-}' is not a folder."
    output=$(cd "$2" && pwd)
    require_prefix; require_release; join_and_sign; pack_files "$output" ;;
  -h | --help) usage ;;
  *) usage >&2; exit 2 ;;
esac
