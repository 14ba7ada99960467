#!/usr/bin/env bash
# Copies programs, and the shared libraries they load, to /collected, laid out as in an image, and
# lists the Debian packages they come from in /packages (name, version, architecture). Runs in the
# image's build.
set -euo pipefail

find_package() {
  # Packages made before Debian merged /lib into /usr/lib know their files by the shorter path.
  dpkg-query --search "$1" 2>/dev/null || dpkg-query --search "${1#/usr}" 2>/dev/null || true
}

list_libraries() {
  ldd "$@" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort --unique
}

for program in "$@"; do
  install -D --mode=0755 "$program" "/collected/usr/local/bin/$(basename "$program")"
  find_package "$program" >> /found
done

for library in $(list_libraries "$@"); do
  # Debian slim's /lib is a link, and a folder of that name could not be laid over it.
  folder=$(readlink --canonicalize "$(dirname "$library")")
  install -D --mode=0644 "$library" "/collected$folder/$(basename "$library")"
  find_package "$(readlink --canonicalize "$library")" >> /found
done

cut --delimiter=: --fields=1 /found | sort --unique \
  | xargs --no-run-if-empty dpkg-query --show \
      --showformat '${Package}\t${Version}\t${Architecture}\n' > /packages
