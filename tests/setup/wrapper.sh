#!/bin/sh
# wrapper.sh ROOT: ./dodona around a program of one file: builds once, builds anew after a change, and says what fails;
# `calibrate` gets the program and the back ends that it needs and no others.
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

program() { printf '#include <cstdio>\nint main(int, char** a) { std::printf("%s:%%s", a[1]); }\n' "$1" >"$tree/cli/main.cpp"; }

mkdir -p "$tree/oracle" "$tree/questions" "$tree/cli" "$tree/calibrate" "$tree/reports" "$tree/tests/setup" "$tree/debian" "$work/elsewhere"
cp "$root/dodona" "$tree"
cp "$root/tests/setup/prepare.sh" "$tree/tests/setup"
printf 'Source: x\nBuild-Depends: dpkg,\n no-such-package <!nocheck>\n' >"$tree/debian/control"
cp "$root/meson_options.txt" "$tree"
cat >"$tree/meson.build" <<'EOF'
project('x', 'cpp')
executable('dodona', 'cli/main.cpp')
left_out = ''
if get_option('calibrate').enabled()
  executable('dodona-calibrate', 'calibrate/main.cpp')
endif
foreach back_end : ['cpu', 'cuda', 'mpi']
  if get_option(back_end).enabled()
    if not import('fs').exists(back_end + '.library')
      error('no library for ' + back_end)
    endif
    if not import('fs').exists(back_end + '.more')
      left_out += back_end + ': more of ' + back_end + '\n'
    endif
    alias_target('calibrate-' + back_end, executable('back-end-' + back_end, 'calibrate/main.cpp'))
  endif
endforeach
configure_file(input: 'left_out.in', output: 'left_out', configuration: {'left_out': left_out})
EOF
echo '@left_out@' >"$tree/left_out.in"
ln -s "$tree/dodona" "$work/link"
mkdir "$work/bin"
# What the wrapper looks for in PATH before it builds the back end for GPUs.
printf '#!/bin/sh\nexit 1\n' >"$work/bin/nvcc"
chmod +x "$work/bin/nvcc"
PATH=$work/bin:$PATH
cd "$work/elsewhere" || exit 99
log=$work/log
release=$tree/build/release
# built NAME...: which of these programs are there
built() {
    for each in "$@"; do
        [ ! -e "$release/$each" ] || printf '%s ' "$each"
    done
}
all='dodona dodona-calibrate back-end-cpu back-end-cuda back-end-mpi'
# shellcheck disable=SC2086  # words
all_built() { built $all; }

program first
cp "$tree/cli/main.cpp" "$tree/calibrate"
is 'the first run builds' 'first:x/y' "$("$tree/dodona" x/y 2>"$log")"
is 'and says so' 1 "$(grep -c 'building' "$log")"
is 'a second run is silent, also through a link' 'first:z' "$("$work/link" z 2>&1)"
is '--yes is for the wrapper' 'first:z' "$("$tree/dodona" --yes z 2>&1)"
is 'dodona is built without calibrate' 'dodona ' "$(all_built)"

is 'questions of calibrate build it' 'first:calibrate' "$("$tree/dodona" calibrate --help 2>"$log")"
is 'and no back end' 'dodona dodona-calibrate ' "$(all_built)"
is 'once' 'first:calibrate' "$("$tree/dodona" calibrate --compare a.yaml b.yaml 2>&1)"
is 'help about it is such a question' 'first:help' "$("$tree/dodona" help calibrate 2>&1)"
is 'and imports are' 'first:calibrate' "$("$tree/dodona" calibrate --import x.log -o y.yaml 2>&1)"
is 'and back ends of the user' 'first:calibrate' "$("$tree/dodona" calibrate --program 'run it' -o y.yaml 2>&1)"
is 'and storage' 'first:calibrate' "$("$tree/dodona" calibrate --backend storage -o y.yaml 2>&1)"
for words in '' '--help all' '--quick --help all' '-h' 'help' 'import x.log' 'import x.log -o y.yaml' 'cpu -o y.yaml' \
    '--quick cpu -o y.yaml' '-m dgx-h100 cpu --output y.yaml' '--backend cpu' '--backend cpu --quick' \
    '--backend cpu cuda -o y.yaml' '--backend --help'; do
    # shellcheck disable=SC2086  # words
    is "and what is no measurement: $words" 'first:calibrate' "$("$tree/dodona" calibrate $words 2>&1)"
done
is 'which build no back end' 'dodona dodona-calibrate ' "$(all_built)"

"$tree/dodona" calibrate --backend cpu -o x >"$work/out" 2>"$log"
is 'a back end without its library' 3 $?
is 'says what Meson found' yes "$(grep -q 'no library for cpu' "$log" && echo yes)"
is 'and measures nothing' '' "$(cat "$work/out")"
is 'dodona still answers' 'first:z' "$("$tree/dodona" z 2>&1)"
touch "$tree/cpu.library"
is 'a library that was installed since is found' 'first:calibrate' "$("$tree/dodona" calibrate --backend cpu -o x 2>"$log")"
is 'and that back end alone is built' 'dodona dodona-calibrate back-end-cpu ' "$(all_built)"
is 'the others are named' yes "$(grep -q 'the others when --backend names them' "$log" && echo yes)"
is 'and what it is built without' yes "$(grep -q 'back end cpu is built without more of cpu' "$log" && echo yes)"
touch "$tree/cpu.more"
is 'which is looked for again' no "$("$tree/dodona" calibrate --backend cpu -o x 2>&1 | grep -q 'without' || echo no)"
is 'until nothing is left out' 'first:calibrate' "$("$tree/dodona" calibrate --backend=cpu -mdgx-h100 -ox 2>&1)"
touch "$tree/mpi.library" "$tree/mpi.more" "$tree/cuda.library" "$tree/cuda.more"
if command -v mpicxx >/dev/null && command -v mpirun >/dev/null; then
    is 'a second one is added' 'first:calibrate' "$("$tree/dodona" calibrate --backend cpu,mpi --import x -o x 2>/dev/null)"
    is 'and the first stays' 'dodona dodona-calibrate back-end-cpu back-end-mpi ' "$(all_built)"
fi
is 'one more, to compare an old one with' 'first:calibrate' "$("$tree/dodona" calibrate --compare old.yaml --backend cuda -o x 2>/dev/null)"
is 'which is there' 'back-end-cpu back-end-cuda ' "$(built back-end-cpu back-end-cuda)"
rm -rf "$tree/build"
is 'without --backend' 'first:calibrate' "$("$tree/dodona" calibrate -o x 2>/dev/null)"
is 'the machine decides' "dodona dodona-calibrate back-end-$([ -e /proc/driver/nvidia/version ] && echo cuda || echo cpu) " "$(all_built)"
is 'what is built for calibrate is built' 'first:z' "$("$tree/dodona" z 2>&1)"
touch "$tree/calibrate/main.cpp"
is 'its sources are not those of dodona' 'first:z' "$("$tree/dodona" z 2>&1)"
is 'but its own' yes "$("$tree/dodona" calibrate --help 2>&1 | grep -q building && echo yes)"

program second
is 'a changed source is built' 'second:x' "$("$tree/dodona" x 2>/dev/null)"
for folder in oracle questions reports; do
    touch "$tree/$folder/a.cpp"
    is "a newer file of $folder" yes "$("$tree/dodona" x 2>&1 | grep -q building && echo yes)"
done

echo 'broken' >>"$tree/cli/main.cpp"
is 'a failed build prints nothing on stdout' '' "$("$tree/dodona" x 2>"$log")"
"$tree/dodona" x >/dev/null 2>"$log"
is 'and exits' 70 $?
is 'and shows what the compiler said' yes "$(grep -q 'error' "$log" && echo yes)"

program third
(
    mkdir "$work/stop"
    # A compiler that is stopped half-way, as by Ctrl-C.
    # shellcheck disable=SC2016
    printf '#!/bin/sh\nkill -INT $PPID\nsleep 1\nexit 1\n' >"$work/stop/ninja"
    chmod +x "$work/stop/ninja"
    PATH=$work/stop:$PATH "$tree/dodona" x
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
