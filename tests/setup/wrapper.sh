#!/bin/sh
# wrapper.sh ROOT: ./dodona around a program of one file: builds once, builds anew after a change, and says what fails.
set -u

root=$1
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
tree="$work/a place"
failures=0

# is WHAT EXPECTED ACTUAL
is() {
    [ "$2" = "$3" ] && return
    printf 'FAILED: %s: expected "%s", got "%s"\n' "$1" "$2" "$3"
    failures=$((failures + 1))
}

program() { printf '#include <cstdio>\nint main(int, char** a) { std::printf("%s:%%s", a[1]); }\n' "$1" >"$tree/oracle/main.cpp"; }

mkdir -p "$tree/oracle" "$tree/calibrate" "$tree/reports" "$tree/tests/setup" "$tree/debian" "$work/elsewhere"
cp "$root/dodona" "$tree"
cp "$root/tests/setup/prepare.sh" "$tree/tests/setup"
printf 'Source: x\nBuild-Depends: dpkg,\n no-such-package <!nocheck>\n' >"$tree/debian/control"
cp "$root/meson_options.txt" "$tree"
printf 'project("x", "cpp")\nexecutable("dodona", "oracle/main.cpp")\nexecutable("back-end", "oracle/main.cpp")\n' | tr '"' "'" >"$tree/meson.build"
ln -s "$tree/dodona" "$work/link"
cd "$work/elsewhere" || exit 99
log=$work/log

program first
is 'the first run builds' 'first:x/y' "$("$tree/dodona" x/y 2>"$log")"
is 'and says so' 1 "$(grep -c 'building' "$log")"
is 'a second run is silent, also through a link' 'first:z' "$("$work/link" z 2>&1)"
is '--yes is for the wrapper' 'first:z' "$("$tree/dodona" --yes z 2>&1)"

is 'and builds no back ends' no "$([ -e "$tree/build/release/back-end" ] || echo no)"
is 'nor do questions of calibrate' 'first:calibrate' "$("$tree/dodona" calibrate --help 2>/dev/null)"
is 'nor imports' 'first:calibrate' "$("$tree/dodona" calibrate --import x.log -o y.yaml 2>/dev/null)"
is 'which are as before' no "$([ -e "$tree/build/release/back-end" ] || echo no)"
is 'calibrate does' 'first:calibrate' "$("$tree/dodona" calibrate -o x 2>/dev/null)"
is 'and they are there' yes "$([ -e "$tree/build/release/back-end" ] && echo yes)"
is 'what is built for calibrate is built' 'first:z' "$("$tree/dodona" z 2>&1)"

program second
is 'a changed source is built' 'second:x' "$("$tree/dodona" x 2>/dev/null)"

echo 'broken' >>"$tree/oracle/main.cpp"
is 'a failed build prints nothing on stdout' '' "$("$tree/dodona" x 2>"$log")"
"$tree/dodona" x >/dev/null 2>"$log"
is 'and exits' 70 $?
is 'and shows what the compiler said' yes "$(grep -q 'error' "$log" && echo yes)"

program third
(
    mkdir "$work/bin"
    # A compiler that is stopped half-way, as by Ctrl-C.
    # shellcheck disable=SC2016
    printf '#!/bin/sh\nkill -INT $PPID\nsleep 1\nexit 1\n' >"$work/bin/ninja"
    chmod +x "$work/bin/ninja"
    PATH=$work/bin:$PATH "$tree/dodona" x
) >/dev/null 2>&1
is 'a stopped build is not taken for finished' 'third:x' "$("$tree/dodona" x 2>/dev/null)"

mv "$tree" "$work/moved"
tree=$work/moved
is 'a moved tree is set up again' 'third:x' "$("$tree/dodona" x 2>/dev/null)"

if command -v apt-get >/dev/null; then
    sed -i 's/ <!nocheck>//' "$tree/debian/control"
    program fourth
    NO_INSTALL=1 "$tree/dodona" x >"$work/out" 2>"$log"
    is 'a missing package exits' 3 $?
    is 'and is named' yes "$(grep -q 'no-such-package' "$log" && grep -q 'apt-get build-dep' "$log" && echo yes)"
    is 'and stdout stays empty' '' "$(cat "$work/out")"
fi

[ "$failures" = 0 ]
