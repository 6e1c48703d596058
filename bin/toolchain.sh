# Finds the JDK and the Maven that build and run taskexec. Sourced by ./taskexec, ./verify and the scripts of a release.
#
# find_jdk sets `jdk` to the home of JAVA_HOME's JDK when that is new enough, else of the newest one on PATH or in the
# places where JDKs are usually put; it returns 1 when there is none.

oldest_suitable=25

# What else than java it needs: a release has nothing to compile.
also_needed=javac

# Prints the major version of the JDK in $1, or 0. Its release file answers without starting a JVM.
jdk_major() {
    [ -x "$1/bin/java" ] && [ -x "$1/bin/$also_needed" ] || { echo 0; return; }
    version=
    if [ -r "$1/release" ]; then
        version=$(sed -n 's/^JAVA_VERSION="\{0,1\}\([0-9][0-9]*\).*/\1/p' "$1/release" | head -n 1)
    fi
    if [ -z "$version" ]; then
        version=$("$1/bin/java" -version 2>&1 | sed -n 's/.* version "\([0-9][0-9]*\).*/\1/p' | head -n 1)
    fi
    echo "${version:-0}"
}

# Prints the home of the `java` on PATH. On macOS that one is only a signpost, so where the link leads nowhere useful
# it is asked.
jdk_on_path() {
    on_path=$(command -v java) || return 0
    real=$(readlink -f "$on_path" 2>/dev/null || echo "$on_path")
    home=${real%/bin/java}
    if [ ! -r "$home/release" ]; then
        home=$("$on_path" -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java\.home = //p' | head -n 1)
    fi
    echo "$home"
}

find_jdk() {
    jdk=
    if [ -n "${JAVA_HOME:-}" ] && [ "$(jdk_major "$JAVA_HOME")" -ge "$oldest_suitable" ]; then
        jdk=$JAVA_HOME
        return 0
    fi
    newest=$((oldest_suitable - 1))
    for candidate in \
        "$(jdk_on_path)" \
        /usr/lib/jvm/* \
        /opt/*jdk* \
        /Library/Java/JavaVirtualMachines/*/Contents/Home \
        "${HOME:-/nonexistent}"/.sdkman/candidates/java/* \
        "${HOME:-/nonexistent}"/.jdks/* \
        "${HOME:-/nonexistent}"/Library/Java/JavaVirtualMachines/*/Contents/Home \
        /opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home \
        /usr/local/opt/openjdk*/libexec/openjdk.jdk/Contents/Home \
        /home/linuxbrew/.linuxbrew/opt/openjdk*/libexec; do
        major=$(jdk_major "$candidate")
        if [ "$major" -gt "$newest" ]; then
            jdk=$candidate
            newest=$major
        fi
    done
    [ -n "$jdk" ]
}

# find_jdk, or the end of the script with a sentence.
require_jdk() {
    find_jdk || {
        echo "taskexec needs a JDK $oldest_suitable or newer and found none; install one or set JAVA_HOME to it." >&2
        exit 2
    }
}

# The same for what only runs the program, with a runtime without compilers too.
require_jre() {
    also_needed=java
    find_jdk || {
        echo "taskexec needs Java $oldest_suitable or newer and found none; install one or set JAVA_HOME to it." >&2
        exit 2
    }
}

# Prints the mvn command: that of MAVEN_HOME, the one on PATH, or ./mvnw, which downloads one.
require_maven() {
    if [ -n "${MAVEN_HOME:-}" ] && [ -x "$MAVEN_HOME/bin/mvn" ]; then
        echo "$MAVEN_HOME/bin/mvn"
    else
        command -v mvn || echo "$root/mvnw"
    fi
}
