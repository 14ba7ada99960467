FROM node:24-bookworm-slim AS manifest
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY scripts/setup.mjs scripts/lock.mjs scripts/


FROM manifest AS build
RUN --mount=type=cache,target=/root/.npm node scripts/setup.mjs
COPY tsconfig.json tsconfig.base.json vite.config.ts ./
COPY scripts scripts
COPY shared shared
COPY client client
RUN node scripts/build.ts
COPY migrations migrations
COPY jobs jobs
COPY server server
COPY ops ops
# A checkout made under a strict umask has files that only its owner may read.
RUN chmod -R a+rX package.json dist migrations shared jobs server ops


FROM manifest AS dependencies
# Vite with its bundlers, and TypeScript, are peers of what the site needs; npm installs them, but
# only a build uses them.
RUN --mount=type=cache,target=/root/.npm node scripts/setup.mjs --omit=dev \
 && cd node_modules \
 && rm -rf vite rollup @rollup esbuild @esbuild typescript @types .bin .vite .cache


FROM node:24-bookworm-slim
# The running site installs nothing and no program of its image may raise its rights. The folders
# for volumes belong to the user below, because a new volume takes over its folder's owner.
RUN rm -rf /opt/yarn* /usr/local/lib/node_modules \
      /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack \
      /usr/local/bin/yarn /usr/local/bin/yarnpkg \
 && find / -xdev -type f -perm /6000 -exec chmod a-s {} + \
 && mkdir -p /data/mail /data/crm /data/erasures \
 && chown -R 10001:10001 /data
ENV NODE_ENV=production
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/package.json ./
COPY --from=build /app/dist dist
COPY --from=build /app/migrations migrations
COPY --from=build /app/shared shared
COPY --from=build /app/jobs jobs
COPY --from=build /app/server server
COPY --from=build /app/ops ops
USER 10001:10001
EXPOSE 3000
# Live, not ready: pages are served without the database too, and an orchestrator that replaces
# unhealthy containers would take them away during a database outage and mend nothing.
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s --retries=3 CMD ["node", "-e", \
  "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/health/live`).then(({ ok }) => { \
  if (!ok) process.exit(1) })"]
ENTRYPOINT []
CMD ["node", "server/main.ts"]
