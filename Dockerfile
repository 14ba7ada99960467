# Four images from one file: `site` (the default; web, worker and migrate are its commands), `ops`
# (the operator's tool with PostgreSQL's client programs), `publish` (builds from the owner's content) and `proxy`. See docs/decisions/018.
#
# Build arguments: VERSION, REVISION and CREATED (a time such as 2026-11-23T09:00:00Z) for the labels and
# /image.json, by which the programs know how old their image is; SOURCE_DATE_EPOCH for the images' times.

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


# The build's own folder with all packages, which builds again from the owner's content. Compose starts it as root
# (scripts/publish.sh).
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
# It runs a command and ends.
HEALTHCHECK NONE
LABEL org.opencontainers.image.title="website-publish" \
      org.opencontainers.image.description="Builds the website from its owner's content" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION" \
      org.opencontainers.image.created="$CREATED"


FROM installed AS dependencies
COPY scripts scripts
RUN bash scripts/image/prune-modules.sh


# A program and the libraries it needs, to be laid over Debian slim, which has most of them.
FROM node:24-bookworm-slim AS node
COPY scripts/image/collect-programs.sh /
RUN bash /collect-programs.sh "$(command -v node)"


FROM postgres:17-bookworm AS postgres
COPY scripts/image/collect-programs.sh /
# The programs themselves, of whatever major: /usr/bin has Debian's wrappers, written in Perl.
RUN bash /collect-programs.sh /usr/lib/postgresql/*/bin/psql \
      /usr/lib/postgresql/*/bin/pg_dump /usr/lib/postgresql/*/bin/pg_restore


FROM debian:bookworm-slim AS restic
COPY scripts/image/collect-programs.sh /
# ssh is how restic reaches SFTP servers, and the certificates are of the authorities that it trusts.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates openssh-client restic \
 && bash /collect-programs.sh /usr/bin/restic /usr/bin/ssh \
 && install -D --mode=0644 /etc/ssl/certs/ca-certificates.crt /collected/etc/ssl/certs/ca-certificates.crt \
 && dpkg --status ca-certificates > /collected/var/lib/dpkg/status.d/ca-certificates


FROM caddy:2-alpine AS caddy
# A plain copy is without the right to open low ports, with which the program would not start in a
# container that may gain no rights.
RUN mkdir -p /collected/usr/local/bin /collected/etc/ssl/certs \
 && cp "$(command -v caddy)" /collected/usr/local/bin/caddy \
 && cp /etc/ssl/certs/ca-certificates.crt /collected/etc/ssl/certs/


# What the three have in common: a user without a home, and no program that may raise its rights.
FROM debian:bookworm-slim AS debian
RUN find / -xdev -type f -perm /6000 -exec chmod a-s {} + \
 && echo 'website:x:10001:10001::/nonexistent:/usr/sbin/nologin' >> /etc/passwd \
 && echo 'website:x:10001:' >> /etc/group


FROM debian AS runtime
# What Debian slim has already stays as it is. The folders for volumes belong to the user, because a
# new volume takes over its folder's owner.
RUN --mount=type=bind,from=node,source=/collected,target=/mnt cp --recursive --no-clobber /mnt/. / \
 && mkdir -p /data/mail /data/crm /data/erasures /data/backups \
      /run/secrets /secrets/web /secrets/site /secrets/operator \
 && chown -R 10001:10001 /data /run/secrets /secrets \
 && mkdir /authorities
# Two arenas of the allocator instead of eight a core, and the heap that Node gives itself in 512 MB with
# a nursery that uncached renders need: less than half the memory after load than without, at the same
# processor time. Whoever gives the containers more memory may give NODE_OPTIONS too.
ENV NODE_ENV=production MALLOC_ARENA_MAX=2 NODE_OPTIONS="--max-old-space-size=256 --max-semi-space-size=12"
# Node and restic trust the operator's own authorities besides the public ones: each file in this folder.
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
# Without CREATED the time of this build, or of the last one that changed anything.
RUN [ "$CREATED" != unknown ] || CREATED=$(date -u +%Y-%m-%dT%H:%M:%SZ); \
    printf '{"version":"%s","revision":"%s","created":"%s"}\n' "$VERSION" "$REVISION" "$CREATED" > /image.json
USER 10001:10001
ENTRYPOINT ["node", "ops/main.ts"]
CMD ["--help"]
# It runs a command and ends; the service that makes backups has a check of its own
# (docker-compose.yml).
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
      org.opencontainers.image.description="Caddy, set up to stand before the website" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION" \
      org.opencontainers.image.created="$CREATED"


# What Node compiled of web at a start, so that no start compiles it again: as the user it belongs to,
# whom Node names in the folder it makes.
FROM runtime AS compiled
RUN mkdir /compile-cache && chown 10001:10001 /compile-cache
USER 10001:10001
ENV NODE_COMPILE_CACHE=/compile-cache
RUN --mount=type=bind,from=dependencies,source=/app/scripts,target=/mnt \
    node /mnt/image/fill-compile-cache.ts && chmod -R a+rX /compile-cache


FROM runtime AS site
# The user may read it and not write it.
COPY --from=compiled --chown=0:0 /compile-cache /compile-cache
ENV NODE_COMPILE_CACHE=/compile-cache
ARG VERSION=unknown
ARG REVISION=unknown
ARG CREATED=unknown
# As above.
RUN [ "$CREATED" != unknown ] || CREATED=$(date -u +%Y-%m-%dT%H:%M:%SZ); \
    printf '{"version":"%s","revision":"%s","created":"%s"}\n' "$VERSION" "$REVISION" "$CREATED" > /image.json
USER 10001:10001
EXPOSE 3000
# Live, not ready: pages are served without the database too, and an orchestrator that replaces
# unhealthy containers would take them away during a database outage and fix nothing.
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s --retries=3 \
  CMD ["bash", "server/check-health.sh", "live", "\"live\""]
CMD ["node", "server/main.ts"]
LABEL org.opencontainers.image.title="website-site" \
      org.opencontainers.image.description="The website: web, worker and migrations" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION" \
      org.opencontainers.image.created="$CREATED"
