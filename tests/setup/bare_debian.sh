#!/bin/sh
# bare_debian.sh [PARTS...]: on a bare Debian 12, in a chroot that debootstrap makes, `./dodona plan` installs, builds, runs
# and prints something, all by root. Then a user without any rights runs `./tests/run --shipped`, or `./tests/run` where
# PARTS has `tests`. Further PARTS:
#   packages    the Debian package and the archive are built there, and run on a second bare system without a compiler
#   calibrate   `./dodona calibrate` installs and builds what it needs, and measures the CPU
# Takes minutes. The last line is "N passed, N failed, N skipped"; without root, debootstrap or network all is skipped.
#
# The first answer must stay cheap: its processor time, packages included, is compared with what the compiler takes for
# yardstick.cpp on the same system with all processors as busy, so that slow or shared machines do not decide.
set -u

# A first answer takes at most this many yardsticks. It took 32 to 45 with yardsticks that ran alone; half as much again
# is a reason to look.
limit=60

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P) || exit 70
root=$(CDPATH='' cd -- "$here/../.." && pwd -P) || exit 70
yardstick=$here/yardstick.cpp
parts=" $* "
set -- plan resnet50 --machine abci --gpus 4

asked() { case $parts in *" $1 "*) ;; *) return 1 ;; esac }
skip() {
    echo "skipped: $1"
    echo '0 passed, 0 failed, 1 skipped'
    exit 0
}
[ "$(id -u)" = 0 ] || skip 'not root'
command -v debootstrap >/dev/null || skip 'no debootstrap'
command -v apt-get >/dev/null || skip 'no apt-get, so no mirror to take'

# The host's own mirror of the release. apt-get itself fills in $(...).
# shellcheck disable=SC2016
mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' |
    awk '$2 == "bookworm" { print $1; exit }')
[ -n "$mirror" ] || skip 'this system has no mirror of Debian 12'

work=$(mktemp -d) || exit 99
debian=$work/debian
user=$work/user # without compilers
trap 'umount "$debian/dev/pts" "$debian/proc" "$user/proc" 2>/dev/null; rm -rf --one-file-system "$work"' EXIT
trap 'exit 130' INT TERM HUP

seconds() { date +%s.%N; }
# since START: seconds from then to now
since() { awk -v from="$1" -v to="$(seconds)" 'BEGIN { printf "%.3f", to - from }'; }

start=$(seconds)
debootstrap --variant=minbase --include=ca-certificates bookworm "$debian" "$mirror" >"$work/log" 2>&1 || {
    tail -n 5 "$work/log"
    skip "debootstrap from $mirror failed"
}
echo "debootstrap: $(since "$start") s"

# The network as the host has it: names, proxy, certificates, apt's own settings (not its credentials).
cp -L /etc/resolv.conf /etc/hosts "$debian/etc/"
cp -r /usr/local/share/ca-certificates/. "$debian/usr/local/share/ca-certificates/" 2>/dev/null
for setting in /etc/apt/apt.conf /etc/apt/apt.conf.d/*; do
    if grep -qsE '^ *Acquire' "$setting"; then
        cp "$setting" "$debian/etc/apt/apt.conf.d/"
    fi
done
in_system() {
    system=$1
    shift
    chroot "$system" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/ LC_ALL=C.UTF-8 \
        http_proxy="${http_proxy:-}" https_proxy="${https_proxy:-}" no_proxy="${no_proxy:-}" "$@"
}
in_debian() { in_system "$debian" "$@"; }
# A user without rights of any kind, in a folder of their own.
as_user() {
    chroot --userspec=1000:1000 "$debian" /usr/bin/env -i PATH=/usr/bin:/bin HOME=/home/user LC_ALL=C.UTF-8 \
        DODONA_DRAW="${DODONA_DRAW:-0}" "$@"
}
in_debian true || skip 'chroot is not allowed'
in_debian update-ca-certificates >/dev/null 2>&1
cp -a "$debian" "$user"
mount -t proc proc "$debian/proc" 2>/dev/null # `calibrate` reads what the machine is
mount -t devpts -o newinstance,ptmxmode=666 devpts "$debian/dev/pts" 2>/dev/null && ln -sf pts/ptmx "$debian/dev/ptmx"
mount -t proc proc "$user/proc" 2>/dev/null   # an installed dodona looks for its data beside itself
in_system "$user" apt-get update >"$work/log" 2>&1 || skip 'no network in the chroot'

# What Git tracks or would track, as a user's clone has it.
cd "$root" || exit 99
git ls-files -coz --exclude-standard >"$work/files" 2>/dev/null ||
    find . \( -path ./build -o -path ./.git \) -prune -o -type f -print0 >"$work/files"
tar --null -T "$work/files" --ignore-failed-read -cf "$work/tree.tar" 2>/dev/null
mkdir -p "$debian/dodona" "$debian/packages/dodona"
cp "$yardstick" "$debian/yardstick.cpp"
tar -C "$debian/dodona" -xf "$work/tree.tar"

# processor_seconds COMMAND...: what a command and all that it starts take of processors, a line in "$work/processor"
processor_seconds() {
    ("$@"; status=$?; times >"$work/times"; exit "$status")
    status=$?
    # The second line is of the children: user and system, "1m2.34s 0m5.67s".
    sed -n 2p "$work/times" | tr 'ms' '  ' | awk '{ printf "%.2f\n", 60 * $1 + $2 + 60 * $3 + $4 }' >"$work/processor"
    return "$status"
}

start=$(seconds)
processor_seconds in_debian /dodona/dodona "$@" >"$work/first"
status=$?
first=$(cat "$work/processor")
cat "$work/first"
echo "./dodona $*, with packages and build: $(since "$start") s, exit status $status"
[ "$status" = 0 ] && [ -s "$work/first" ] || exit 1

[ ! -e "$debian/dodona/build/release/dodona-calibrate" ] ||
    { echo 'FAILED: the first command builds dodona-calibrate'; exit 1; }
# One for each processor, at once. $(nproc) is of the shell within.
# shellcheck disable=SC2016
yardsticks='for i in $(seq $(nproc)); do c++ -std=c++20 -O2 -c /yardstick.cpp -o /yardstick-$i.o & done; wait'
for _ in 1 2 3; do
    processor_seconds in_debian sh -c "$yardsticks" || exit 99
    awk -v processors="$(nproc)" '{ print $1 / processors }' "$work/processor"
done | sort -n | sed -n 2p >"$work/yardstick"
awk -v first="$first" -v yardstick="$(cat "$work/yardstick")" -v limit="$limit" 'BEGIN {
    printf "%.0f s of processor time, %.1f yardsticks of %.2f s; at most %.0f\n", first, first / yardstick, yardstick, limit
    exit first > limit * yardstick
}' || { echo 'FAILED: the first answer has become dear'; exit 1; }

# best PROGRAM ARGUMENTS: the least of five times
best() {
    for _ in 1 2 3 4 5; do
        start=$(seconds)
        in_debian "$@" >"$work/again" 2>&1
        since "$start"
        echo
    done | sort -n | head -n 1
}
echo "again: $(best /dodona/dodona "$@") s, the program alone: $(best /dodona/build/release/dodona "$@") s"
in_debian /dodona/dodona "$@" 2>&1 | cmp - "$work/first" || { echo 'FAILED: the second run prints something else'; exit 1; }

# What others build and users install. The package is not optimised here, which compiles in half the time.
if ! asked packages; then
    :
elif [ -e "$user/proc/self" ]; then
    start=$(seconds)
    tar -C "$debian/packages/dodona" -xf "$work/tree.tar"
    in_debian sh -c 'cd /packages/dodona && export DEBIAN_FRONTEND=noninteractive DEB_BUILD_OPTIONS=noopt &&
        apt-get build-dep -y --no-install-recommends -P pkg.dodona.deb,nocheck ./ &&
        dpkg-buildpackage -b -us -uc -Ppkg.dodona.deb,nocheck' >"$work/log" 2>&1 ||
        { tail -n 20 "$work/log"; echo 'FAILED: the Debian package is not built'; exit 1; }
    archive=$(in_debian /dodona/packaging/archive.sh /packages) ||
        { echo 'FAILED: the archive is not built'; exit 1; }
    echo "Debian package and archive: $(since "$start") s"

    in_system "$user" mkdir -p /anywhere
    tar -C "$user/anywhere" --strip-components=1 -xJf "$debian$archive"
    in_system "$user" /anywhere/bin/dodona "$@" | cmp - "$work/first" ||
        { echo 'FAILED: dodona of the archive answers something else'; exit 1; }
    cp "$debian"/packages/dodona_*.deb "$user"
    in_system "$user" sh -c 'DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends /dodona_*.deb' \
        >"$work/log" 2>&1 || { tail -n 20 "$work/log"; echo 'FAILED: the Debian package is not installed'; exit 1; }
    in_system "$user" dodona "$@" | cmp - "$work/first" ||
        { echo 'FAILED: the installed dodona answers something else'; exit 1; }
    for file in man/man1/dodona.1.gz bash-completion/completions/dodona; do
        [ -s "$user/usr/share/$file" ] || { echo "FAILED: the Debian package has no $file"; exit 1; }
    done
    for compiler in cc c++ gcc g++; do
        [ -e "$user/usr/bin/$compiler" ] && { echo "FAILED: the second system has $compiler"; exit 1; }
    done
else
    echo 'packages are not tried: /proc cannot be mounted here'
fi

# Both commands of the README: the second builds on what the first has built, and passes as an ordinary user.
! grep -q 'warning:' "$debian/dodona/build/release.log" ||
    { grep 'warning:' "$debian/dodona/build/release.log"; echo 'FAILED: the compiler warns'; exit 1; }
in_debian useradd --create-home --uid 1000 user && chown -R 1000:1000 "$debian/dodona" || exit 99
as_user /dodona/tests/run >"$work/log" 2>&1
grep -q 'apt-get build-dep' "$work/log" ||
    { tail -n 5 "$work/log"; echo 'FAILED: ./tests/run does not say which packages it lacks'; exit 1; }
in_debian sh -c 'cd /dodona && export DEBIAN_FRONTEND=noninteractive && apt-get update && apt-get build-dep -y \
    --no-install-recommends ./' >"$work/log" 2>&1 || { tail -n 5 "$work/log"; exit 99; }
start=$(seconds)
if asked tests; then
    as_user /dodona/tests/run
else
    as_user /dodona/tests/run --shipped
fi >"$work/tests"
status=$?
cat "$work/tests"
echo "./tests/run after ./dodona: $(since "$start") s, exit status $status"
[ "$status" = 0 ] || exit 1

is_built() { [ -e "$debian/dodona/build/release/$1" ]; }
finish() {
    tail -n 1 "$work/tests"
    exit 0
}
asked calibrate || finish
[ -e "$debian/proc/self" ] || { echo './dodona calibrate is not tried: /proc cannot be mounted here'; finish; }
start=$(seconds)
in_debian /dodona/dodona calibrate --backend cpu --quick -o /here.yaml
status=$?
echo "./dodona calibrate --backend cpu --quick, with packages and build: $(since "$start") s, exit status $status"
[ "$status" = 0 ] && [ -s "$debian/here.yaml" ] || exit 1
is_built calibrate/cpu/dodona-calibrate-cpu.so || { echo 'FAILED: there is no back end for CPUs'; exit 1; }
is_built calibrate/mpi/dodona-calibrate-mpi && { echo 'FAILED: a back end was built that nobody asked for'; exit 1; }
in_debian /dodona/dodona plan resnet50 --machine /here.yaml --gpus 1 >"$work/planned"
[ -s "$work/planned" ] || { echo 'FAILED: no plan for the machine that was measured'; exit 1; }
finish
