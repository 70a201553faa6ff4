# syntax=docker/dockerfile:1

# The common base of the next two stages. It does not depend on the sources, so Docker can cache it.
FROM node:26-bookworm-slim AS base
WORKDIR /app
COPY package.json package-lock.json .npmrc ./

# Builds the bundle, the filter kernels and the pages, with the development dependencies.
FROM base AS build
RUN npm ci --include=dev --ignore-scripts
COPY scripts ./scripts
COPY src ./src
COPY packages ./packages
RUN node scripts/build.ts && node scripts/build-service.ts

# Only the dependencies that the service needs at run time.
FROM base AS packages
RUN npm ci --ignore-scripts --omit=dev

FROM node:26-bookworm-slim
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=4010 \
    CONTENT_DIR=/app/content \
    DATA_DIR=/data \
    MALLOC_MMAP_THRESHOLD_=32768
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY --from=build /app/build ./build
COPY --from=build /app/dist ./dist
COPY package.json LICENSE ./
COPY content ./content
# The service writes only below /data: the rest of the file system may be read-only.
RUN mkdir /data && chown node:node /data
VOLUME /data
USER node
EXPOSE 4010
# The start period is for a start with a very large number of pictures.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "dist/main.js", "health"]
STOPSIGNAL SIGTERM
# Without a shell and npm, signals reach the service directly: it stops its workers and exits with code 0.
ENTRYPOINT ["node", "dist/main.js"]
CMD ["serve"]
