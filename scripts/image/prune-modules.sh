#!/usr/bin/env bash
# Reduces node_modules to the files that the site's processes load, and writes sbom.cdx.json, npm's list of the packages
# with their checksums and licenses. Runs during the image build, in a copy of the project with all packages installed.
# Needs no network.
set -euo pipefail

# The build bundles these and their dependencies into dist, so no process loads them from node_modules.
BUNDLED=(lucide-react react react-dom react-router-dom)

print_size() {
  echo "node_modules $1: $(du --summarize --apparent-size --block-size=1MB node_modules | cut --fields=1) MB"
}

print_size 'installed'
# With --omit=dev npm's list would lack production packages that development packages use as well,
# such as pg.
npm pkg delete devDependencies workspaces
npm prune --no-save
print_size 'after npm prune'
# Removes the two values that change on every run, so the same packages produce the same image.
npm sbom --sbom-format cyclonedx --sbom-type application \
  | sed --regexp-extended '/^ +"(serialNumber|timestamp)":/d' > sbom.cdx.json

npm pkg delete "${BUNDLED[@]/#/dependencies.}"
# Omits peer dependencies: Vite (for vite-plugin-ssr) and React (for several packages).
npm prune --no-save --omit=peer
# Only the build calls vite-plugin-ssr's bundler.
rm --recursive node_modules/{esbuild,@esbuild}
# Node doesn't use source maps, types or compiler leftovers, and doesn't strip types in node_modules.
find node_modules -type f -regextype posix-extended -regex '.*\.(map|[mc]?ts|tsbuildinfo|test\.[mc]?js)' -delete
# Removes documentation, and test and example folders at the top level of a package.
find node_modules -type f -iname '*.md' -not -iname 'licen[cs]e*' -not -iname 'notice*' -delete
find node_modules -depth -type d -regextype posix-extended \
  -regex '.*node_modules/(@[^/]+/)?[^/@][^/]*/(tests?|__tests__|bench(mark)?s?|docs|examples?|\.github)' \
  -exec rm --recursive {} +
# Removes program links, npm's own files, and empty scopes.
find node_modules -depth -name .bin -exec rm --recursive {} +
find node_modules -mindepth 1 -maxdepth 1 -name '.*' -exec rm --recursive {} +
find node_modules -type d -empty -delete
print_size 'in the image'
