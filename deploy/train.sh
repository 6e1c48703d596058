#!/bin/bash
# Makes an AOT cache: runs `taskexec dev`, which brings a PostgreSQL along, gives it some work and stops it. The JVM writes
# the cache as it ends. Its options are those of the image, since a cache is for one collector.
#
#   train.sh JAR CACHE
set -euo pipefail

# Settings of a server may name real brokers and collectors, which have no business with a training.
for name in $(compgen -e | grep -E '^(TE|OTEL|QUARKUS)_'); do
    unset "$name"
done

jar=$1
cache=$2
jobs_per_batch=500
batches=10
singles=2000
pulled=500
data=$(mktemp -d)
program=
useless=$cache
# One that fails or is interrupted leaves no PostgreSQL and no files behind either. A JVM that is ended early writes a
# cache, too.
trap 'kill "$program" 2>/dev/null && wait "$program" || true; rm -rf "$data" ${useless:+"$useless"}' EXIT

# Prints the first port from $1 on where nothing listens.
free_port() {
    local port=$1
    while (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do
        port=$((port + 1))
    done
    echo "$port"
}

port=$(free_port 18080)
management=$(free_port 19000)

cookies=

# Prints the body of the answer, and keeps its cookies; fails unless it is 2xx, or leads elsewhere. Without a tool that the
# image would have to carry.
request() {
    local method=$1 at=$2 path=$3 body=${4:-} type=${5:-application/json} status line
    exec 3<>"/dev/tcp/127.0.0.1/$at" || return 1
    printf '%s %s HTTP/1.0\r\nAuthorization: Bearer %s\r\nCookie: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s' \
        "$method" "$path" "${key:-}" "$cookies" "$type" "${#body}" "$body" >&3
    read -r _ status _ <&3
    while IFS= read -r line && [ "$line" != $'\r' ]; do
        if [[ $line =~ ^[Ss]et-[Cc]ookie:\ *([^;]*) ]]; then
            cookies="${cookies:+$cookies; }${BASH_REMATCH[1]}"
        fi
    done <&3
    cat <&3
    exec 3>&-
    [[ $status == [23]* ]]
}

# Sends a request over the open connection $1.
send() {
    printf 'POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s' \
        "$2" "$key" "${#3}" "$3" >&"$1"
}

# Reads its answer into $reply; fails unless that is 2xx.
receive() {
    local status line length=0
    read -r _ status _ <&"$1"
    while IFS= read -r line <&"$1" && [ "$line" != $'\r' ]; do
        if [[ $line =~ ^[Cc]ontent-[Ll]ength:\ *([0-9]+) ]]; then
            length=${BASH_REMATCH[1]}
        fi
    done
    # No delimiter that an answer has. The bash of macOS does not know -N.
    IFS= LC_ALL=C read -r -d '' -n "$length" reply <&"$1"
    [[ $status == 2* ]] || { echo "The training was answered $status: $reply" >&2; return 1; }
}

# Jobs that come one by one, as they do from most clients: they are other work than batches. The requests are sent ahead,
# and the server takes the next one of a connection when it has answered the one before.
create_singles() {
    exec 4<>"/dev/tcp/127.0.0.1/$port"
    for n in $(seq "$singles"); do
        send 4 /jobs '{"endpoint":"training","idempotency_key":"single-'"$n"'","input":{"n":'"$n"'}}'
    done &
    for _ in $(seq "$singles"); do
        receive 4
    done
    exec 4>&-
}

# The same for a pull worker that waits for each.
pull_singles() {
    exec 4<>"/dev/tcp/127.0.0.1/$port" 5<>"/dev/tcp/127.0.0.1/$port" 6<>"/dev/tcp/127.0.0.1/$port"
    for n in $(seq "$pulled"); do
        send 5 /leases '{"worker":"training","endpoints":["training-pull"],"wait":"PT20S"}'
    done &
    for n in $(seq "$pulled"); do
        send 4 /jobs '{"endpoint":"training-pull","idempotency_key":"'"$n"'","input":{"n":'"$n"'}}'
    done &
    for _ in $(seq "$pulled"); do
        receive 4
        receive 5
        [[ $reply =~ \"lease\":\"([^\"]*) ]]
        send 6 /leases/complete '{"leases":[{"lease":"'"${BASH_REMATCH[1]}"'"}]}'
    done
    for _ in $(seq "$pulled"); do
        receive 6
    done
    exec 4>&- 5>&- 6>&-
}

# Logs in to the dashboard and reads its pages.
visit() {
    request GET "$port" /ui/login >"$data/page"
    [[ $(<"$data/page") =~ form_mark\"\ value=\"([^\"]*) ]]
    request POST "$port" /ui/login "form_mark=${BASH_REMATCH[1]}&key=$key" application/x-www-form-urlencoded >/dev/null
    for page in "" executions jobs dead-letters schedules workflows endpoints endpoints/training queues forecast; do
        request GET "$port" "/ui/$page" >"$data/page"
    done
    grep -q 'id="over"' "$data/page"
}

# Tries the rest of its arguments until they succeed, for at most a minute.
await() {
    for _ in $(seq 600); do
        "$@" >/dev/null 2>&1 && return 0
        kill -0 "$program" 2>/dev/null || break
        sleep 0.1
    done
    echo "The training has failed; the program said:" >&2
    cat "$data/log" >&2
    exit 1
}

# The jobs of batch $1, as the API takes them.
batch() {
    local comma=
    printf '{"jobs":['
    for i in $(seq "$jobs_per_batch"); do
        printf '%s{"endpoint":"training","trigger":"IMMEDIATE","idempotency_key":"%s-%s","input":{"n":%s}}' "$comma" "$1" "$i" "$i"
        comma=,
    done
    printf ']}'
}

all_ended() {
    request GET "$port" "/executions?status=QUEUED&limit=1" | grep -q '"items":\[\]'
}

TE_RATE_LIMIT_PER_SEC=0 TE_MANAGEMENT_ADDR=127.0.0.1:$management java -XX:AOTCacheOutput="$cache" -XX:+UseSerialGC -XX:+UseCompactObjectHeaders \
    --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow \
    -jar "$jar" dev --data-dir "$data/dev" --port "$port" >"$data/log" 2>&1 &
program=$!

await request GET "$management" /q/health/ready
key=$(cat "$data/dev/api-key")
# It delivers to itself.
request POST "$port" /endpoints '{"name":"training","type":"HTTP",
    "spec":{"url":"http://127.0.0.1:'"$management"'/q/health/live","method":"POST","body_template":{"n":"{{input.n}}"},"expected_status_codes":[200,405]},
    "retry_policy":{"max_attempts":1}}' >/dev/null
for n in $(seq "$batches"); do
    request POST "$port" /jobs/batch "$(batch "$n")" >/dev/null
done
await all_ended
request POST "$port" /endpoints '{"name":"training-pull","type":"WORKER","spec":{}}' >/dev/null
create_singles
pull_singles
await all_ended
request GET "$management" /q/metrics >/dev/null
visit

kill -TERM "$program"
wait "$program" || [ $? -eq 143 ]
[ -s "$cache" ] || { echo "The JVM has written no cache." >&2; cat "$data/log" >&2; exit 1; }
useless=
