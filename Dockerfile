# syntax=docker/dockerfile:1
# glibc, not musl: Temporal's core and DuckDB ship no build for Alpine.
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json LICENSE ./
COPY bin ./bin
COPY bench ./bench
COPY sandbox ./sandbox
COPY src ./src
# The package as users install it; of Temporal's core only the build for this machine.
RUN npm pack \
  && npm install --global --prefix /opt/nightledger --omit=dev --ignore-scripts ./nightledger-*.tgz \
  && find /opt/nightledger/lib/node_modules/nightledger/node_modules/@temporalio/core-bridge/releases \
    -mindepth 1 -maxdepth 1 ! -name "$(uname -m)-unknown-linux-gnu" -exec rm -rf {} +

FROM node:24.21.0-bookworm-slim
# The certificates are for Temporal's core, which reads the system's and not Node's.
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates \
  && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production
COPY --from=build /opt/nightledger /usr/local
# Named volumes take over the owner of the directories they are mounted on.
RUN install -d -o node -g node /lake /rosters
USER node
WORKDIR /rosters
ENTRYPOINT ["nightledger"]
CMD ["worker"]
