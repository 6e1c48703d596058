#!/bin/sh
# Prints what docker-compose.yml needs of secrets, made anew each time.
set -eu

secret() {
    openssl rand -hex 24
}

echo "TE_API_KEY=$(secret)"
echo "TE_SECRET_ENCRYPTION_KEY=k1:$(openssl rand -base64 32)"
echo "POSTGRES_PASSWORD=$(secret)"
echo "GRAFANA_PASSWORD=$(secret)"
