# Finds the JDK and the Maven that build and run taskexec. Sourced by ./taskexec, ./verify and the scripts of a release.
#
# find_jdk sets `jdk` to the home of the JDK of JAVA_HOME or on PATH, the first that is new enough, else of the newest one
# in the places where JDKs are usually put; it returns 1 when there is none.

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

# Whether `jdk` names a JDK that is new enough.
is_suitable() {
    [ -n "$jdk" ] && [ "$(jdk_major "$jdk")" -ge "$oldest_suitable" ]
}

find_jdk() {
    jdk=${JAVA_HOME:-}
    is_suitable && return 0
    jdk=$(jdk_on_path)
    is_suitable && return 0
    jdk=
    newest=$((oldest_suitable - 1))
    for candidate in \
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

# Whether Maven $1 is as new as pom.xml wants it.
is_new_maven() {
    JAVA_HOME=$jdk "$1" -v 2>/dev/null | awk '
        # It may be printed in bold.
        /Apache Maven / { sub(/.*Apache Maven /, ""); split($0, v, /[^0-9]/); is_new = v[1] * 1000000 + v[2] * 1000 + v[3] >= 3008007 }
        END { exit !is_new }'
}

# Prints the mvn command: that of MAVEN_HOME, the one on PATH when it is new enough, or ./mvnw, which downloads one.
require_maven() {
    if [ -n "${MAVEN_HOME:-}" ] && [ -x "$MAVEN_HOME/bin/mvn" ]; then
        echo "$MAVEN_HOME/bin/mvn"
    elif is_new_maven mvn; then
        command -v mvn
    else
        echo "$root/mvnw"
    fi
}
