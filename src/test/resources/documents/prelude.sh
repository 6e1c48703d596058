# What comes before the commands of a page: any of them that fails ends it, and so does an answer that is not expected.
set -eu -o pipefail
trap 'if [ -f roles.pid ]; then kill "$(cat roles.pid)"; rm roles.pid; fi' EXIT
export TE_URL=http://127.0.0.1:$DEV_PORT

# What the quickstart defines, and pages after it use.
API=$TE_URL
KEY=$([ ! -f .taskexec/api-key ] || cat .taskexec/api-key)
call() { curl -sS -H "Authorization: Bearer $KEY" "$@"; echo; }

# Keeps in file $2 what server $1 has printed, once it has printed $3.
printed() {
    for _ in $(seq 600); do
        if grep -qF -- "$3" "$1.log"; then
            cp "$1.log" "$2"
            return
        fi
        sleep 0.1
    done
    echo "$1 has not printed: $3" >&2
    return 1
}

# Shows the answer, and remembers the execution that it tells of, which a page calls by the id that it once had.
curl() {
    case " $* " in
        *" -N "*)
            # A stream that never ends.
            timeout 2 curl --fail "$@" || [ $? = 124 ]
            return
            ;;
    esac
    status=$(command curl --max-time 20 --output answer.json --write-out '%{http_code}' "$@")
    cat answer.json
    grep -o 'exec_[0-9a-f]\{32\}' answer.json | tail -n 1 >newest || true
    [ ! -s newest ] || cp newest execution
    case $status in
        ${EXPECTED:-2??}) ;;
        *)
            echo " has status $status, expected: ${EXPECTED:-2xx}" >&2
            exit 1
            ;;
    esac
}
