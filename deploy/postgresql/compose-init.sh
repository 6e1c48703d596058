#!/bin/sh
# Run by the image of PostgreSQL when its database is made.
set -eu

psql --set=ON_ERROR_STOP=1 --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" --file=/deploy/roles.sql
psql --set=ON_ERROR_STOP=1 --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" --set=password="$POSTGRES_PASSWORD" <<'SQL'
ALTER ROLE taskexec_owner PASSWORD :'password';
ALTER ROLE taskexec PASSWORD :'password';
SQL
