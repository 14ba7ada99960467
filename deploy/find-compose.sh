# Sourced by the scripts: sets `compose` to how Docker Compose is called on this machine.
# shellcheck shell=bash
if docker compose version >/dev/null 2>&1; then
  compose=(docker compose)
elif command -v docker-compose >/dev/null; then
  compose=(docker-compose)
  # The images need BuildKit, which Compose 1 uses only when it is told to.
  export DOCKER_BUILDKIT=1 COMPOSE_DOCKER_CLI_BUILD=1
else
  echo 'Docker Compose is not installed: https://docs.docker.com/compose/install/' >&2
  exit 1
fi

# Compose says what is wrong with its files or with .env; else a failure of it would look like a stack that isn't there.
check_compose_files() { "${compose[@]}" config --quiet || exit 1; }

# Whether the images are built here; those of a release are not. Reads to the end: what is cut off by its reader would
# count as a failure.
has_builds() { "${compose[@]}" config | grep '^ *build:' >/dev/null; }

# The commands that bring the version before back into this folder and start it, by how this one came here.
print_way_back() {
  local files='git checkout <version before>' start="${compose[*]} up -d --remove-orphans"
  if [ ! -e .git ]; then files='# unpack website-<version before>.tar.gz over this folder'; fi
  if [ -e images.txt ]; then
    files='# unpack the bundle before over this folder, and run deploy/load-bundle.sh'
    start+=' --no-build'
  elif has_builds; then
    # By itself `up --build` leaves the operator's tool out, which nothing starts.
    start="${compose[*]} --profile ops build && $start"
    if [ "${compose[0]}" = docker-compose ]; then start="DOCKER_BUILDKIT=1 COMPOSE_DOCKER_CLI_BUILD=1 $start"; fi
  fi
  printf '  %s\n' "$files" "$start"
}

# Whether a service of the stack has a container; one that a profile hides has none.
has_container() { [ -n "$("${compose[@]}" ps -q "$1" 2>/dev/null)" ]; }

# A container of the version in this folder, beside those that run. Its dependencies are not touched.
run_once() { "${compose[@]}" run --rm -T --no-deps "$@"; }

# Fails with all errors of .env, and with those of the proxy's certificate, before anything is replaced.
check_settings() {
  { ! has_container proxy || run_once proxy bash /etc/caddy/start.sh --check; } && run_once settings
}

# Builds all images, with the time as their age. Given to the build alone: Compose 1 would recreate each container
# whose build has other arguments.
build_images() { CREATED=$(date -u +%Y-%m-%dT%H:%M:%SZ) "${compose[@]}" --profile ops --profile publish build "$@"; }
