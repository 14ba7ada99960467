# Sourced by the other scripts. Sets `compose` to this machine's Docker Compose command.
# shellcheck shell=bash
if docker compose version >/dev/null 2>&1; then
  compose=(docker compose)
elif command -v docker-compose >/dev/null; then
  compose=(docker-compose)
  # Building the images requires BuildKit, which Compose 1 uses only if these variables are set.
  export DOCKER_BUILDKIT=1 COMPOSE_DOCKER_CLI_BUILD=1
else
  echo 'Docker Compose is not installed: https://docs.docker.com/compose/install/' >&2
  exit 1
fi

# Exits if Compose reports an error in its files or in .env. Without this check the error would look like a missing stack.
check_compose_files() { "${compose[@]}" config --quiet || exit 1; }

# Succeeds if the compose file builds images. A release's file doesn't. grep runs without --quiet so that it reads all
# the output. If it stopped early, `config` would fail, and the pipeline with it.
has_builds() { "${compose[@]}" config | grep '^ *build:' >/dev/null; }

# Prints the commands that restore the previous version in this folder and start it. They depend on how this version was
# installed: from git, a bundle or a release.
print_way_back() {
  local files='git checkout <previous version>' start="${compose[*]} up -d --remove-orphans"
  if [ ! -e .git ]; then files='# unpack website-<previous version>.tar.gz over this folder'; fi
  if [ -e images.txt ]; then
    files='# unpack the previous bundle over this folder, and run deploy/load-bundle.sh'
    start+=' --no-build'
  elif has_builds; then
    # `up --build` would not build the operator's tool, because `up` doesn't start it.
    start="${compose[*]} --profile ops build && $start"
    if [ "${compose[0]}" = docker-compose ]; then start="DOCKER_BUILDKIT=1 COMPOSE_DOCKER_CLI_BUILD=1 $start"; fi
  fi
  printf '  %s\n' "$files" "$start"
}

# Succeeds if a service has a container. A service in an inactive profile has none.
has_container() { [ -n "$("${compose[@]}" ps -q "$1" 2>/dev/null)" ]; }

# Runs a service once in a new container of this folder's version. Running containers are not touched.
run_once() { "${compose[@]}" run --rm -T --no-deps "$@"; }

# Checks the proxy's settings and certificate, then .env. Prints errors and fails if there are any.
check_settings() {
  { ! has_container proxy || run_once proxy bash /etc/caddy/start.sh --check; } && run_once settings
}

# Builds all images and labels them with the current time. CREATED is set for this command only, because Compose 1
# recreates containers whose build arguments have changed.
build_images() { CREATED=$(date -u +%Y-%m-%dT%H:%M:%SZ) "${compose[@]}" --profile ops --profile publish build "$@"; }
