#!/bin/sh
# Prints what docker-compose.yml needs of secrets, made anew each time: one for each role, so that who learns one of them
# has no more than that.
set -eu

secret() {
    openssl rand -hex 24
}

key() {
    echo "k1:$(openssl rand -base64 32)"
}

echo "TE_API_KEY=$(secret)"
echo "TE_SECRET_ENCRYPTION_KEY=$(key)"
echo "COCKROACHDB_TE_API_KEY=$(secret)"
echo "COCKROACHDB_TE_SECRET_ENCRYPTION_KEY=$(key)"
echo "POSTGRES_ADMIN_PASSWORD=$(secret)"
echo "POSTGRES_OWNER_PASSWORD=$(secret)"
echo "POSTGRES_SERVER_PASSWORD=$(secret)"
echo "REDIS_PASSWORD=$(secret)"
echo "GRAFANA_PASSWORD=$(secret)"
