# shellcheck shell=sh
# Packages and builds, for ./dodona, tests/run and .ci/run, which set $root to this repository and source this file.
# debian/control is the only list of packages; $1 of the functions below is a build profile of it:
# nocheck (to run), empty (to test too), pkg.dodona.lint (to lint too).

: "${root:?}"

say() { printf 'dodona: %s\n' "$*" >&2; }

have() { command -v "$1" >/dev/null 2>&1; }

required_packages() {
    awk -v profile="$1" '
        /^[A-Za-z-]+:/ { inside = /^Build-Depends:/; sub(/^[^:]*:/, "") }
        inside { text = text $0 }
        END {
            count = split(text, entries, ",")
            for (i = 1; i <= count; i++) {
                if (match(entries[i], /<[^>]+>/)) {
                    tag = substr(entries[i], RSTART + 1, RLENGTH - 2)
                    negated = sub(/^!/, "", tag)
                    if ((tag == profile) == negated) continue
                }
                split(entries[i], words, " ")
                print words[1]
            }
        }' "$root/debian/control"
}

missing_packages() {
    if have dpkg-checkbuilddeps; then
        LC_ALL=C dpkg-checkbuilddeps -P "$1" "$root/debian/control" 2>&1 | sed -n 's/.*Unmet build dependencies: //p'
        return
    fi
    for package in $(required_packages "$1"); do
        case $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) in
            installed*) ;;
            *) printf '%s ' "$package" ;;
        esac
    done
}

# Installs what is missing, or says how and exits 3. NO_INSTALL=1 only says; DODONA_YES=1 does not ask.
require_packages() {
    if ! have apt-get; then
        have meson && have ninja && return # Meson names whatever else is missing.
        say "these are needed (Debian's names; install your system's):" "$(required_packages "$1" | tr '\n' ' ')"
        exit 3
    fi
    missing=$(missing_packages "$1")
    [ -n "$missing" ] || return 0
    install="apt-get update && apt-get build-dep -y --no-install-recommends${1:+ -P $1} ./"
    say "these packages are missing: $missing"
    say "to install them (in $root): $install"
    [ "${NO_INSTALL:-}" != 1 ] || exit 3

    as_root=
    if [ "$(id -u)" != 0 ]; then
        if ! have sudo; then
            say "not root, and there is no sudo: run the line above as root"
            exit 3
        fi
        as_root=sudo
        if [ "${DODONA_YES:-}" != 1 ]; then
            if ! [ -t 0 ] || ! [ -t 2 ]; then
                say "not root and nobody to ask: run the line above, or ./dodona --yes ..."
                exit 3
            fi
            printf 'dodona: run it with sudo? [y/N] ' >&2
            read -r answer
            case $answer in [yY]*) ;; *) exit 3 ;; esac
        fi
    fi
    say "installing (log: build/packages.log)"
    mkdir -p "$root/build"
    (cd "$root" && $as_root env DEBIAN_FRONTEND=noninteractive sh -c "$install") >"$root/build/packages.log" 2>&1 ||
        fail 3 "the packages could not be installed" "$root/build/packages.log"
}

# fail STATUS MESSAGE LOG
fail() {
    say "$2; the end of $3:"
    tail -n 20 "$3" >&2
    exit "$1"
}

# build NAME TARGET MESON-OPTIONS...: sets up build/NAME and compiles TARGET of it, or `all`. `configured` holds the place
# it was set up for, and the time of `built-TARGET` is when the last build of that began; an interrupted step leaves
# them out or as they were.
build() {
    directory=$root/build/$1
    log=$root/build/$1.log
    name=$1
    target=$2
    shift 2
    mkdir -p "$root/build"
    if have flock; then
        exec 9>"$root/build/$name.lock"
        flock -n 9 || { say "waiting for another build of build/$name"; flock 9; }
    fi
    if [ "$(cat "$directory/configured" 2>/dev/null)" != "$root" ]; then
        say "setting up build/$name"
        rm -rf "$directory"
        meson setup "$directory" "$root" "$@" >"$log" 2>&1 </dev/null || fail 70 "the set-up failed" "$log"
        printf '%s\n' "$root" >"$directory/configured"
    fi
    say "building (log: build/$name.log)"
    : >"$directory/begun"
    ninja -C "$directory" "$target" >"$log" 2>&1 </dev/null || fail 70 "the build failed" "$log"
    mv "$directory/begun" "$directory/built-$target"
    exec 9>&-
}
