# syntax=docker/dockerfile:1

# What both stages of packages start from: nothing here changes with the sources, so it is built seldom.
FROM node:26-bookworm-slim AS base
WORKDIR /app
COPY package.json package-lock.json .npmrc ./

# Bundles the program, and makes the kernels and the pages, with the tools that only that needs.
FROM base AS build
RUN npm ci --include=dev --ignore-scripts
COPY scripts ./scripts
COPY src ./src
COPY packages ./packages
RUN node scripts/build.ts && node scripts/build-service.ts

# What the service itself needs, and no more.
FROM base AS packages
RUN npm ci --ignore-scripts --omit=dev

FROM node:26-bookworm-slim
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=4010 \
    CONTENT_DIR=/app/content \
    DATA_DIR=/data
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY --from=build /app/build ./build
COPY --from=build /app/dist ./dist
COPY package.json LICENSE ./
COPY content ./content
# All that is ever written is below /data: the rest of the file system may be read-only.
RUN mkdir /data && chown node:node /data
VOLUME /data
USER node
EXPOSE 4010
# As long as a start with very many pictures may take.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "dist/main.js", "health"]
STOPSIGNAL SIGTERM
# No shell and no npm in between: signals reach the service itself, which ends its workers and exits with 0.
ENTRYPOINT ["node", "dist/main.js"]
CMD ["serve"]
