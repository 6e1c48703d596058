#!/bin/sh
# Run by the image of PostgreSQL when its database is made.
set -eu

psql --set=ON_ERROR_STOP=1 --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" --file=/deploy/roles.sql
psql --set=ON_ERROR_STOP=1 --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" \
    --set=owner="$POSTGRES_OWNER_PASSWORD" --set=server="$POSTGRES_SERVER_PASSWORD" <<'SQL'
ALTER ROLE taskexec_owner PASSWORD :'owner';
ALTER ROLE taskexec PASSWORD :'server';
SQL
