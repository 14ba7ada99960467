# Builds four images (docs/decisions/018-container-images.md):
#   site     the default, with the commands web, worker and migrate
#   ops      the operator's tool with PostgreSQL's client programs and restic
#   publish  builds the site from the owner's content
#   proxy    Caddy with its settings
#
# Build arguments: VERSION, REVISION and CREATED (a time such as 2026-11-23T09:00:00Z) set the labels and /image.json, from
# which the programs read the image's age. SOURCE_DATE_EPOCH sets the images' timestamps.

FROM node:24-bookworm-slim AS installed
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY scripts/setup.mjs scripts/lock.mjs scripts/progress.mjs scripts/
RUN --mount=type=cache,target=/root/.npm node scripts/setup.mjs


FROM installed AS build
COPY tsconfig.json tsconfig.base.json vite.config.ts ./
COPY scripts/*.ts scripts/*.mjs scripts/
COPY scripts/content scripts/content
COPY scripts/vite scripts/vite
COPY content content
COPY shared shared
COPY client client
COPY server/ssr server/ssr
RUN node scripts/build.ts && rm dist/.build-stamp
COPY migrations migrations
COPY jobs jobs
COPY server server
COPY ops ops
RUN node_modules/.bin/tsc --build client server jobs ops migrations
# A checkout made under a strict umask has files that only its owner may read.
RUN chmod -R a+rX package.json dist migrations shared jobs server ops


# Keeps the build stage's folder with all packages, to build from the owner's content. Compose starts the container as
# root (scripts/publish.sh).
FROM build AS publish
COPY scripts/publish.sh scripts/
COPY scripts/publish scripts/publish
RUN mkdir -p node_modules/.cache node_modules/.vite-temp node_modules/.vite /data/mail \
 && chown -R 10001:10001 node_modules/.cache node_modules/.vite-temp node_modules/.vite /data \
      node_modules/@brillout/vite-plugin-import-build/dist \
 && chmod -R a+rX client content scripts vite.config.ts tsconfig.json tsconfig.base.json package-lock.json
ARG VERSION=unknown
ARG REVISION=unknown
ARG CREATED=unknown
USER 10001:10001
ENTRYPOINT ["bash", "scripts/publish.sh"]
# The container runs one command and exits.
HEALTHCHECK NONE
LABEL org.opencontainers.image.title="website-publish" \
      org.opencontainers.image.description="Builds the website from its owner's content" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION" \
      org.opencontainers.image.created="$CREATED"


FROM installed AS dependencies
COPY scripts scripts
# The stage `compiled` runs a script as another user, who could not read files cloned with a strict umask.
RUN bash scripts/image/prune-modules.sh && chmod -R a+rX scripts


# Collects Node and the libraries it needs. `runtime` adds those that Debian slim lacks.
FROM node:24-bookworm-slim AS node
COPY scripts/image/collect-programs.sh /
RUN bash /collect-programs.sh "$(command -v node)"


FROM postgres:17-bookworm AS postgres
COPY scripts/image/collect-programs.sh /
# The paths match any major version. /usr/bin has only Debian's wrappers, which need Perl.
RUN bash /collect-programs.sh /usr/lib/postgresql/*/bin/psql \
      /usr/lib/postgresql/*/bin/pg_dump /usr/lib/postgresql/*/bin/pg_restore


FROM debian:bookworm-slim AS restic
COPY scripts/image/collect-programs.sh /
# restic needs ssh for SFTP servers, and the certificates of the public authorities.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates openssh-client restic \
 && bash /collect-programs.sh /usr/bin/restic /usr/bin/ssh \
 && install -D --mode=0644 /etc/ssl/certs/ca-certificates.crt /collected/etc/ssl/certs/ca-certificates.crt \
 && dpkg --status ca-certificates > /collected/var/lib/dpkg/status.d/ca-certificates


FROM caddy:2-alpine AS caddy
# The copy loses Caddy's file capability for low ports. With it, Caddy would not start under no-new-privileges.
RUN mkdir -p /collected/usr/local/bin /collected/etc/ssl/certs \
 && cp "$(command -v caddy)" /collected/usr/local/bin/caddy \
 && cp /etc/ssl/certs/ca-certificates.crt /collected/etc/ssl/certs/


# The base of `site`, `ops` and `proxy`. Adds a user without a home folder and removes all setuid and setgid bits.
FROM debian:bookworm-slim AS debian
RUN find / -xdev -type f -perm /6000 -exec chmod a-s {} + \
 && echo 'website:x:10001:10001::/nonexistent:/usr/sbin/nologin' >> /etc/passwd \
 && echo 'website:x:10001:' >> /etc/group


FROM debian AS runtime
# Doesn't replace Debian slim's files. The folders for volumes belong to the user, because a new volume inherits the
# owner of its folder.
RUN --mount=type=bind,from=node,source=/collected,target=/mnt cp --recursive --no-clobber /mnt/. / \
 && mkdir -p /data/mail /data/crm /data/erasures /data/backups \
      /run/secrets /secrets/web /secrets/site /secrets/operator \
 && chown -R 10001:10001 /data /run/secrets /secrets \
 && mkdir /authorities
# Sets two allocator arenas instead of eight per core, the heap size that Node chooses in a 512 MB container, and a
# young generation large enough for uncached renders. This more than halves the memory in use after load, at the same
# CPU time. If you raise the containers' memory limit, you may raise NODE_OPTIONS too.
ENV NODE_ENV=production MALLOC_ARENA_MAX=2 NODE_OPTIONS="--max-old-space-size=256 --max-semi-space-size=12"
# Node and restic trust the public authorities and the operator's own, whose certificates are in this folder.
ENV NODE_USE_SYSTEM_CA=1 SSL_CERT_DIR=/authorities
COPY --from=dependencies /app/sbom.cdx.json /
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/package.json ./
COPY --from=build /app/dist dist
COPY --from=build /app/migrations migrations
COPY --from=build /app/shared shared
COPY --from=build /app/jobs jobs
COPY --from=build /app/server server
COPY --from=build /app/ops ops


FROM runtime AS ops
RUN --mount=type=bind,from=postgres,source=/collected,target=/mnt cp --recursive --no-clobber /mnt/. /
RUN --mount=type=bind,from=restic,source=/collected,target=/mnt cp --recursive --no-clobber /mnt/. / \
 && mkdir /repository && chown 10001:10001 /repository
ARG VERSION=unknown
ARG REVISION=unknown
ARG CREATED=unknown
# Without CREATED, writes the time of this build, or of the cached build if nothing has changed.
RUN [ "$CREATED" != unknown ] || CREATED=$(date -u +%Y-%m-%dT%H:%M:%SZ); \
    printf '{"version":"%s","revision":"%s","created":"%s"}\n' "$VERSION" "$REVISION" "$CREATED" > /image.json
USER 10001:10001
ENTRYPOINT ["node", "ops/main.ts"]
CMD ["--help"]
# Runs one command and exits. The service `backup` has its own health check (docker-compose.yml).
HEALTHCHECK NONE
LABEL org.opencontainers.image.title="website-ops" \
      org.opencontainers.image.description="The website's operator's tool: doctor, backup, restore" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION" \
      org.opencontainers.image.created="$CREATED"


FROM debian AS proxy
COPY --from=caddy /collected/ /
RUN mkdir -p /data/caddy /config/caddy && chown -R 10001:10001 /data /config
COPY deploy/proxy /etc/caddy
RUN chmod -R a+rX /etc/caddy
ENV XDG_DATA_HOME=/data XDG_CONFIG_HOME=/config
USER 10001:10001
EXPOSE 3000 8080 8443
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s --retries=3 \
  CMD ["bash", "/etc/caddy/check-health.sh"]
CMD ["bash", "/etc/caddy/start.sh"]
ARG VERSION=unknown
ARG REVISION=unknown
ARG CREATED=unknown
LABEL org.opencontainers.image.title="website-proxy" \
      org.opencontainers.image.description="Caddy, configured as the website's reverse proxy" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION" \
      org.opencontainers.image.created="$CREATED"


# Starts web once to fill Node's compile cache, so that later starts needn't compile again. Uses the same user as `site`,
# because the name of the cache's folder includes the user's id.
FROM runtime AS compiled
RUN mkdir /compile-cache && chown 10001:10001 /compile-cache
USER 10001:10001
ENV NODE_COMPILE_CACHE=/compile-cache
RUN --mount=type=bind,from=dependencies,source=/app/scripts,target=/mnt \
    node /mnt/image/fill-compile-cache.ts && chmod -R a+rX /compile-cache


FROM runtime AS site
# The cache belongs to root, so that the user can read but not change it.
COPY --from=compiled --chown=0:0 /compile-cache /compile-cache
ENV NODE_COMPILE_CACHE=/compile-cache
ARG VERSION=unknown
ARG REVISION=unknown
ARG CREATED=unknown
# The same as in `ops`.
RUN [ "$CREATED" != unknown ] || CREATED=$(date -u +%Y-%m-%dT%H:%M:%SZ); \
    printf '{"version":"%s","revision":"%s","created":"%s"}\n' "$VERSION" "$REVISION" "$CREATED" > /image.json
USER 10001:10001
EXPOSE 3000
# Checks `live`, not `ready`, because web serves pages without the database too. Otherwise, during a database outage, an
# orchestrator would replace all containers, which wouldn't help.
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s --retries=3 \
  CMD ["bash", "server/check-health.sh", "live", "\"live\""]
CMD ["node", "server/main.ts"]
LABEL org.opencontainers.image.title="website-site" \
      org.opencontainers.image.description="The website: web, worker and migrations" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION" \
      org.opencontainers.image.created="$CREATED"
