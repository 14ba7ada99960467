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

# Whether a service of the stack has a container; one that a profile hides has none.
has_container() { [ -n "$("${compose[@]}" ps -q "$1" 2>/dev/null)" ]; }

# Builds all images, with the time as their age. Given to the build alone: Compose 1 would recreate each container
# whose build has other arguments.
build_images() { CREATED=$(date -u +%Y-%m-%dT%H:%M:%SZ) "${compose[@]}" --profile ops build "$@"; }
