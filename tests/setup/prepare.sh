# shellcheck shell=sh
# Packages and builds, for ./dodona, tests/run and .ci/run, which set $root to this repository and source this file.
# debian/control is the only list of packages; $1 of the functions below has build profiles of it, comma-separated:
# nocheck (to run), empty (to test too), pkg.dodona.lint (to lint too), pkg.dodona.calibrate, .cpu and .mpi (to measure), .python (a wheel).

: "${root:?}"

say() { printf 'dodona: %s\n' "$*" >&2; }

have() { command -v "$1" >/dev/null 2>&1; }

# Entries of Build-Depends without restriction formulas, or with one that holds: `a <x y> <!z>` is (x and y) or not z.
required_packages() {
    awk -v profiles=",$1," '
        /^[A-Za-z-]+:/ { inside = /^Build-Depends:/; sub(/^[^:]*:/, "") }
        inside { text = text $0 }
        END {
            gsub(/\([^)]*\)/, "", text)
            count = split(text, entries, ",")
            for (i = 1; i <= count; i++) {
                formulas = split(entries[i], formula, "<")
                wanted = formulas == 1
                for (f = 2; f <= formulas; f++) {
                    holds = 1
                    terms = split(substr(formula[f], 1, index(formula[f], ">") - 1), term, " ")
                    for (t = 1; t <= terms; t++) {
                        negated = sub(/^!/, "", term[t])
                        if ((index(profiles, "," term[t] ",") > 0) == negated) holds = 0
                    }
                    if (holds) wanted = 1
                }
                split(entries[i], words, " ")
                if (wanted) print words[1]
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

# What ./dodona and tests/run build with alike, so that the second takes what the first has compiled. -O3, as in packages,
# makes searches a seventh faster and takes a tenth longer to compile.
# shellcheck disable=SC2034  # for those who source this file
release_options='--buildtype=release -Doptimization=1 -Dunity=on -Dunity_size=120'

# build NAME TARGETS OPTIONS...: sets up build/NAME and compiles TARGETS of it (words). The file `configured` there has the
# place that it was set up for and the options that are enabled. The time of `built-TARGET` is when the last build of that
# target began; an interrupted step leaves these files out or as they were.
build() {
    directory=$root/build/$1
    log=$root/build/$1.log
    name=$1
    targets=$2
    shift 2
    mkdir -p "$root/build"
    if have flock; then
        exec 9>"$root/build/$name.lock"
        flock -n 9 || { say "waiting for another build of build/$name"; flock 9; }
    fi
    [ "$(head -n 1 "$directory/configured" 2>/dev/null)" = "$root" ] || rm -rf "$directory"
    set_up "$@"
    say "building $targets (log: build/$name.log)"
    : >"$directory/begun"
    compile || fail 70 "the build failed" "$log"
    for target in $targets; do
        cp -p "$directory/begun" "$directory/built-$target"
    done
    exec 9>&-
}

# Compiles $targets in $directory. What ninja says goes to $log; a terminal shows how many steps are done.
compile() {
    rm -f "$directory/compiled"
    # shellcheck disable=SC2086  # words
    { ninja -C "$directory" $targets 2>&1 </dev/null && : >"$directory/compiled"; } | while IFS= read -r line; do
        printf '%s\n' "$line" >&3
        case $line in
            \[*/*\]*) [ ! -t 2 ] || printf '\rdodona: %s steps done  \r' "$(expr "$line" : '\[\([0-9/]*\)' | sed 's|/| of |')" >&2 ;;
        esac
    done 3>"$log"
    [ ! -t 2 ] || printf '\r%28s\r' '' >&2
    [ -e "$directory/compiled" ]
}

# left_out FEATURE: what -DFEATURE=enabled builds without, a sentence each line, because a library was not found.
left_out() { sed -n "s/^$1: //p" "$directory/left_out" 2>/dev/null; }

# Runs Meson with OPTIONS: all of them for a new directory; in one that exists those -DFEATURE=enabled and =auto that are new
# there, or of which something was left out that may be installed now.
set_up() {
    configured=$directory/configured
    step="--reconfigure"
    if [ ! -d "$directory" ]; then
        step=
        say "setting up build/$name"
        meson setup "$directory" "$root" "$@" >"$log" 2>&1 </dev/null || fail 3 "the set-up failed" "$log"
        printf '%s\n' "$root" >"$configured"
    fi
    for option in "$@"; do
        shift
        case $option in -D*=enabled | -D*=auto) ;; *) continue ;; esac
        feature=${option#-D}
        if [ -z "$step" ]; then
            printf '%s\n' "$option" >>"$configured"
        elif ! grep -qxF -e "$option" "$configured" || [ -n "$(left_out "${feature%=*}")" ]; then
            set -- "$@" "$option"
        fi
    done
    [ $# -gt 0 ] || return 0
    say "configuring build/$name with $*"
    meson setup --reconfigure "$directory" "$root" "$@" >"$log" 2>&1 </dev/null ||
        fail 3 "Meson cannot configure it with $*" "$log"
    for option in "$@"; do
        grep -qxF -e "$option" "$configured" || printf '%s\n' "$option" >>"$configured"
    done
}
