# syntax=docker/dockerfile:1
# docker build --build-arg COMMIT="$(git rev-parse HEAD)" --tag menagerie .

# Everything before the last stage runs on the machine that builds, also for another architecture: nothing is emulated.
# This stage does not depend on the sources, so Docker can cache it.
FROM --platform=$BUILDPLATFORM node:26-bookworm-slim AS base
WORKDIR /app
COPY package.json package-lock.json .npmrc ./

# Builds the bundle, the filter kernels and the pages, with the development dependencies.
FROM base AS build
RUN npm ci --include=dev --ignore-scripts
COPY scripts ./scripts
COPY src ./src
COPY packages ./packages
RUN node scripts/build.ts && node scripts/build-service.ts
ARG COMMIT=
RUN echo "$COMMIT" >dist/commit && mkdir /data

# Only the dependencies that the service needs at run time. npm calls amd64 x64.
FROM base AS packages
ARG TARGETARCH
RUN npm ci --ignore-scripts --omit=dev --os=linux --libc=glibc --cpu="$(echo "$TARGETARCH" | sed s/amd64/x64/)"

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
# A new volume at /app/content starts with these files, and the service may write to it.
COPY --chown=node:node content ./content
# The service writes only below /data and /app/content: the rest of the file system may be read-only.
COPY --from=build --chown=node:node /data /data
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
ARG COMMIT=
ARG VERSION=
LABEL org.opencontainers.image.title="Menagerie" \
      org.opencontainers.image.description="Random animals, image filters by URL, and an update server" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version=$VERSION \
      org.opencontainers.image.revision=$COMMIT
