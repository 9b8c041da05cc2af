# syntax=docker/dockerfile:1
# glibc, not musl: Temporal's core and DuckDB ship no build for Alpine.
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY bin ./bin
COPY bench ./bench
COPY sandbox ./sandbox
COPY src ./src
RUN npm run build \
  && npm prune --omit=dev --ignore-scripts \
  && find node_modules/@temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 \
    ! -name "$(uname -m)-unknown-linux-gnu" -exec rm -rf {} +

FROM node:24.21.0-bookworm-slim
# The certificates are for Temporal's core, which reads the system's and not Node's.
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates \
  && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/package.json ./package.json
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/bin ./bin
COPY --from=build /app/dist ./dist
# Named volumes take over the owner of the directories they are mounted on.
RUN ln -s /app/bin/nightledger.js /usr/local/bin/nightledger \
  && install -d -o node -g node /lake /rosters
USER node
WORKDIR /rosters
ENTRYPOINT ["nightledger"]
CMD ["worker"]
