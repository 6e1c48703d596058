# Becomes the program. Sourced by ./taskexec and by the start script of a release, which have set `jdk`.
#
#   run_taskexec APP CACHES "$@"   APP is the built program; CACHES has AOT caches, which need not be there

# The options of the JVM, which an AOT cache must be made with too. The serial collector: taskexec keeps little alive, so its
# pauses are short, and it needs neither the memory nor the threads of G1, which matters when two cores are shared with a
# database. A young generation of this size is collected more often than the larger one that a JVM chooses itself, which
# costs a hundredth of the processor time under full load and saves 70 MiB.
#
# After an OutOfMemoryError threads may be missing: the process ends, so that it is started again.
collector="-XX:+UseSerialGC -Xmn48m"
jvm_options="-XX:+UseCompactObjectHeaders -XX:+ExitOnOutOfMemoryError --enable-native-access=ALL-UNNAMED"
jvm_options="$jvm_options --sun-misc-unsafe-memory-access=allow"

# The class path of a command for people: first the libraries that each of them needs, since a JVM opens one after the other
# until it has found a class, and then everything.
client_class_path() {
    path=
    for archive in "$1"/app/taskexec.jar "$1"/lib/main/info.picocli.picocli-*.jar \
        "$1"/lib/main/com.fasterxml.jackson.core.jackson-*.jar "$1"/lib/main/org.snakeyaml.snakeyaml-engine-*.jar \
        "$1"/lib/main/com.cronutils.cron-utils-*.jar "$1"/quarkus-run.jar; do
        path=$path${path:+:}$archive
    done
    echo "$path"
}

run_taskexec() {
    app=$1
    caches=$2
    shift 2
    # A command for people has ended before a second compiler would pay.
    case "${1:-}" in
        '' | --roles* | serve | dev | migrate | check | config | secrets | replay)
            cache=$caches/taskexec.aot
            compilers=
            path=
            main= ;;
        *)
            cache=$caches/client.aot
            compilers=-XX:TieredStopAtLevel=1
            path=$(client_class_path "$app")
            main=io.taskexec.Main ;;
    esac
    # A JVM reads arguments in the character set of the locale, which is ASCII when none is set. A shell may warn where
    # C.UTF-8 is missing.
    case ${LC_ALL:-${LC_CTYPE:-${LANG:-}}} in
        '' | C | POSIX) export LC_ALL=C.UTF-8 2>/dev/null ;;
    esac
    # Another collector can be chosen, and another cache.
    case " ${TASKEXEC_JAVA_OPTS:-} " in
        *" -XX:+Use"*GC*) collector= ;;
    esac
    case " ${TASKEXEC_JAVA_OPTS:-} " in
        *" -XX:AOT"*) cache= ;;
    esac
    [ -f "$cache" ] || cache=
    if [ -n "$main" ]; then
        set -- -cp "$path" "$main" "$@"
    else
        set -- -jar "$app/quarkus-run.jar" "$@"
    fi
    # A cache of another JVM, or of other files, is passed over without a word. Options are separated by spaces, so these
    # are split on purpose.
    # shellcheck disable=SC2086
    exec "$jdk/bin/java" ${cache:+"-XX:AOTCache=$cache" -Xlog:aot=off -Xlog:cds=off} $collector $compilers $jvm_options \
        ${TASKEXEC_JAVA_OPTS:-} "$@"
}

# Makes the AOT cache of the commands that talk to a server: what they load and link. What is printed goes to a file.
#
#   make_client_cache APP CACHES
make_client_cache() {
    # shellcheck disable=SC2086
    "$jdk/bin/java" -XX:AOTCacheOutput="$2/client.aot" $collector $jvm_options -cp "$(client_class_path "$1")" \
        io.taskexec.ClientTraining >"$2/client.aot.log" 2>&1
}

# Makes the AOT cache of servers: what a start loads and links, and which methods some work has shown to be hot. What is
# printed goes to a file.
#
#   make_server_cache APP CACHES TRAINING
make_server_cache() {
    PATH=$jdk/bin:$PATH bash "$3" "$1/quarkus-run.jar" "$2/taskexec.aot" >"$2/taskexec.aot.log" 2>&1
}
