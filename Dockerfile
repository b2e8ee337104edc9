# The release archive and ffmpeg on Debian: `scan up`, or the processes of docker-compose.temporal.yml.
#
#   docker build -t scan-service .
#   docker run --rm scan-service --help

FROM node:22-bookworm-slim AS node
FROM golang:1.25-bookworm AS go

FROM rust:1.95-bookworm AS build
# What set-up needs to install the Temporal CLI and the model weights (README.md).
COPY --from=node /usr/local/bin/node /usr/local/bin/node
COPY --from=node /usr/local/lib/node_modules /usr/local/lib/node_modules
COPY --from=go /usr/local/go /usr/local/go
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm \
    && apt-get update \
    && apt-get install -y --no-install-recommends python3 python3-pip python3-venv \
    && rm -rf /var/lib/apt/lists/*
ENV PATH=/usr/local/go/bin:$PATH SCAN_CACHE=/cache
WORKDIR /src
COPY . .
RUN cargo xtask setup --demo
RUN cargo xtask dist --unpacked --out /out && mv /out/scan-service-* /out/scan-service

FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates curl ffmpeg fonts-dejavu-core \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --create-home scan \
    && install -d -o scan -g scan /var/lib/scan /var/lib/scan/mail /var/lib/scan/scratch
COPY --from=build /out/scan-service /opt/scan-service
RUN ln -s /opt/scan-service/bin/scan /usr/local/bin/scan
ENV SCAN__SCRATCH=/var/lib/scan/scratch \
    SCAN__OUTBOUND__MAIL__FOLDER=/var/lib/scan/mail
USER scan
WORKDIR /var/lib/scan
ENTRYPOINT ["scan"]
