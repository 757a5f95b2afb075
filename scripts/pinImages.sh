#!/bin/sh
# Prints each image that docker-compose.yml names with the digest it has now, as lines for .env: `sh scripts/pinImages.sh >> .env`.
set -eu
cd "$(dirname "$0")/.."
sed -n 's/.*\${\([A-Z]*_IMAGE\):-\([^}]*\)}.*/\1 \2/p' docker-compose.yml | sort -u |
  while read -r name image; do
    docker pull --quiet "$image" >&2
    echo "$name=$(docker image inspect --format '{{index .RepoDigests 0}}' "$image")"
  done
