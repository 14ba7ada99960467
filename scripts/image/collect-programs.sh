#!/usr/bin/env bash
# Copies programs and the shared libraries they load to /collected, in the layout of an image. Describes their Debian
# packages in /var/lib/dpkg/status.d, where scanners look for packages that dpkg didn't install. Runs during the image
# build.
set -euo pipefail

find_package() {
  # Packages built before Debian merged /lib into /usr/lib list their files by the shorter path.
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
  # In Debian slim, /lib is a link. A folder of the same name can't replace it.
  folder=$(readlink --canonicalize "$(dirname "$library")")
  install -D --mode=0644 "$library" "/collected$folder/$(basename "$library")"
  find_package "$(readlink --canonicalize "$library")" >> /found
done

described=/collected/var/lib/dpkg/status.d
mkdir --parents "$described"
for package in $(cut --delimiter=: --fields=1 /found | sort --unique); do
  dpkg --status "$package" > "$described/$package"
done
