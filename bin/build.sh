# Builds the program without tests, formatting and checks of the code, which are ./verify's business: here somebody waits.
# Sourced by ./taskexec and ./taskexec package, which have set `root` and `jdk`.

build_log=$root/target/build.log

# Prints what Maven does in words, when that is another thing than before; on a terminal also how long it takes, each second.
# Maven 3.8 names a plugin in full (maven-compiler-plugin), newer ones in short (compiler).
show_progress() {
    case "$(grep -o -- '--- [a-z-]*:' "$build_log" 2>/dev/null | tail -n 1)" in
        *resources* | *compiler*) doing=compiling ;;
        *jar* | *quarkus*) doing="putting the program together" ;;
        *) doing="finding libraries" ;;
    esac
    show_step "$doing"
}

# Prints a step of the build.
show_step() {
    seconds=$(($(date +%s) - begun))
    if [ -t 2 ]; then
        printf '\r  %3d s  %s\033[K' "$seconds" "$1" >&2
    elif [ "$1" != "$shown" ]; then
        printf '  %3d s  %s\n' "$seconds" "$1" >&2
    fi
    shown=$1
}

# The names of the settings that are in the environment.
setting_names() {
    env | sed -n -e 's/^\(TE_[A-Z0-9_]*\)=.*/\1/p' -e 's/^\(OTEL_[A-Z0-9_]*\)=.*/\1/p'
}

# Runs Maven; ends the script when it fails.
build() {
    mvn=$(require_maven)
    begun=$(date +%s)
    shown=
    echo "Building taskexec (under two minutes; the first time, libraries are fetched too)..." >&2
    # What was recorded of another build is worthless.
    rm -f "$root/target/client.aot" "$root/target/taskexec.aot"
    # Quarkus would write the settings of this process into the program, secrets too. Maven's own libraries make a new JDK
    # warn.
    # shellcheck disable=SC2046
    (cd "$root" && unset $(setting_names) && JAVA_HOME=$jdk MAVEN_OPTS="--sun-misc-unsafe-memory-access=allow ${MAVEN_OPTS:-}" \
        exec "$mvn" -B -ntp -Dstyle.color=never -Pquick package >"$build_log" 2>&1) &
    maven=$!
    while kill -0 "$maven" 2>/dev/null; do
        show_progress
        sleep 1
    done
    wait "$maven" || {
        [ ! -t 2 ] || echo >&2
        grep '^\[ERROR\]' "$build_log" >&2 || tail -n 20 "$build_log" >&2
        echo "taskexec cannot be built; the messages above say why, and $build_log says more." >&2
        exit 2
    }
    maven=
    # A build that had nothing to do leaves the old time, and would be asked for again.
    touch "$jar"
    show_step "built"
    [ ! -t 2 ] || echo >&2
}

has_failed() {
    rm -f "$root/target/$1.aot"
    [ ! -t 2 ] || echo >&2
    echo "  This failed, so that starts take longer; $root/target/$1.aot.log says why." >&2
}

# Makes the cache that a command starts with. The program runs without it, only slower, so that one that fails is not tried
# again.
build_cache() {
    begun=$(date +%s)
    shown=
    if [ "$1" = server ]; then
        show_step "recording what a server does at work"
        make_server_cache "$root/target/quarkus-app" "$root/target" "$root/deploy/train.sh" || has_failed taskexec
    else
        show_step "recording what commands load"
        make_client_cache "$root/target/quarkus-app" "$root/target" || has_failed client
    fi
    touch "$root/target/.$1-cache"
    show_step "recorded"
    [ ! -t 2 ] || echo >&2
}
