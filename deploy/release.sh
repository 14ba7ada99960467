#!/usr/bin/env bash
# Publishes a version: images for two architectures, signed, and files that need no clone. See --help.
set -euo pipefail

usage() {
  cat <<'TEXT'
Usage: deploy/release.sh compose | templates | images | publish FOLDER

  compose          prints docker-compose.release.yml: the stack from published images
  templates        writes deploy/templates: the same stack for Coolify, Dokploy and Portainer
  images           builds the images for this machine's architecture and pushes them, with SBOM and provenance
  publish FOLDER   joins the images of all architectures under the version, signs them (cosign, keyless), and writes
                   website-VERSION.tar.gz and SHA256SUMS to FOLDER

IMAGE_PREFIX names the owner's registry, like registry.example.com/website; images are PREFIX-site, PREFIX-ops and
PREFIX-proxy, their tag is package.json's version. REPOSITORY_URL, where the code is, stands in the templates; GitHub's
runner knows it. Log in to the registry before (docker login). Needs Docker with buildx, git, and for publish cosign.
.github/workflows/release.yml runs it; docs/releasing.md
TEXT
}

fail() { printf 'deploy/release.sh: %s\n' "$*" >&2; exit 1; }

ARCHITECTURES=(amd64 arm64)
TARGETS=(site ops proxy)
# What goes beside the compose file; only what git tracks.
FILES=(.env.example install deploy docker-compose.own-proxy.yml docker-compose.external.yml
  monitoring docs SECURITY.md CHANGELOG.md)

# The stack with images in place of what builds them.
write_compose() {
  sed -E \
    -e '/^x-versions:/,/^$/d' -e '/^# Version and revision in the images/d' -e '/^# The time of the build, too/,/^$/d' \
    -e "s|build: \{ context: \., target: ([a-z]+), args: \*[a-z-]+ \}|image: '\${IMAGE_PREFIX:?IMAGE_PREFIX is required, like registry.example.com/website}-\1:\${VERSION:?VERSION is required, the tag of the images}'|" \
    -e '/^  # Without a name of its own:/,/^  # and fails when services built/d' \
    docker-compose.yml
}

require_prefix() {
  [[ ${IMAGE_PREFIX:-} =~ ^[a-z0-9][a-z0-9._:/-]*$ ]] || fail "IMAGE_PREFIX must be like registry.example.com/website; it is '${IMAGE_PREFIX:-}'."
}

require_repository() {
  [[ -z ${GITHUB_REPOSITORY:-} ]] || REPOSITORY_URL=${REPOSITORY_URL:-$GITHUB_SERVER_URL/$GITHUB_REPOSITORY}
  [[ ${REPOSITORY_URL:-} =~ ^https://[A-Za-z0-9._:/~-]+$ ]] ||
    fail "REPOSITORY_URL must be the code's address, like https://git.example.com/owner/website; it is '${REPOSITORY_URL:-}'."
}

require_release() {
  [[ -z $(git status --porcelain) ]] || fail 'There are changes that are not committed.'
  [[ ${GITHUB_REF_NAME:-v$version} == "v$version" ]] || fail "The tag is $GITHUB_REF_NAME, package.json's version $version."
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

# By digest: a tag may be moved after it was signed.
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
  local packed templates
  # Not local: the trap runs once this function has returned.
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  packed=$work/website
  mkdir "$packed"
  git ls-files -z -- "${FILES[@]}" | tar --create --null --files-from=- | tar --extract -C "$packed"
  cp docker-compose.release.yml "$packed/docker-compose.yml"
  templates=("$packed"/deploy/templates/*/*)
  sed -i -E "s|\\$\{IMAGE_PREFIX:\?[^}]*\}|$IMAGE_PREFIX|; s|\\$\{VERSION:\?[^}]*\}|$version|" \
    "$packed/docker-compose.yml" "${templates[@]}"
  sed -i "s|\"version\": \"0.0.0\"|\"version\": \"$version\"|" "$packed/deploy/templates/dokploy/meta.json"
  sed -i "s|https://git.example.com/owner/website|$REPOSITORY_URL|" "${templates[@]}"
  tar --create --gzip --file "$1/website-$version.tar.gz" --directory "$work" --sort=name --owner=0 --group=0 \
    --numeric-owner --mtime="@$(git log -1 --format=%ct)" website
  (cd "$1" && sha256sum "website-$version.tar.gz" >SHA256SUMS)
}

cd "$(dirname "${BASH_SOURCE[0]}")/.."
version=$(sed -nE 's/^  "version": "([^"]+)",$/\1/p' package.json)
case ${1:-} in
  compose) write_compose ;;
  templates) node scripts/setup.mjs --run scripts/platform-templates.ts ;;
  images) require_prefix; require_release; push_images ;;
  publish)
    [[ -d ${2:-} ]] || fail "'${2:-}' is not a folder."
    output=$(cd "$2" && pwd)
    require_prefix; require_repository; require_release; join_and_sign; pack_files "$output" ;;
  -h | --help) usage ;;
  *) usage >&2; exit 2 ;;
esac
