#!/bin/sh
# Builds the back end for NVIDIA GPUs, and the program `standalone` that runs its list of cases, with nvcc and g++ alone:
# for a machine that has a GPU and the CUDA toolkit, and not what the rest of dodona needs.
#
#   build_module.sh OUT [FOLDER...]
#
# Needs the headers of fmt (9 or later) and nlohmann_json, copied from elsewhere if need be. FOLDERs are searched for
# headers and libraries, before the toolkit: each may have include/ and lib/ (as Python packages of NVIDIA's libraries
# have), or headers of its own. cuDNN and NCCL are left out where they are not found.
set -eu
if [ $# -lt 1 ]; then
    sed -n '2,9s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
out=$1
shift
root=$(cd "$(dirname "$0")/../.." && pwd)
toolkit=$(cd "$(dirname "$(command -v nvcc)")/.." && pwd)
mkdir -p "$out/program"

includes="-I$root -I$root/oracle"
folders=
for folder in "$@" "$toolkit" "$toolkit/extras/CUPTI" "$toolkit/targets/x86_64-linux"; do
    for part in "$folder" "$folder/include"; do
        [ -d "$part" ] && includes="$includes -isystem $part"
    done
    for part in "$folder/lib64" "$folder/lib" "$folder"; do
        [ -d "$part" ] && folders="$folders $part"
    done
done

# The library NAME (libNAME.so or libNAME.so.7) in one of the folders; nothing where there is none.
library() {
    for folder in $folders /usr/lib/x86_64-linux-gnu; do
        for file in "$folder/lib$1.so" "$folder/lib$1.so".[0-9]*; do
            if [ -e "$file" ]; then
                echo "$file"
                return
            fi
        done
    done
}
# Whether the headers say yes to a line of the preprocessor.
says() {
    # shellcheck disable=SC2086  # a list of options
    printf '#include <%s>\n#if !(%s)\n#error\n#endif\n' "$1" "$2" | g++ -std=c++20 $includes -E -x c++ - >/dev/null 2>&1
}
need() {
    file=$(library "$1")
    if [ -z "$file" ]; then
        echo "lib$1 is not found; name the folder that has it" >&2
        exit 1
    fi
    echo "$file"
}

libraries="$(need cublasLt) $(need cudart) $(need cupti)"
left_out=
cudnn=$(library cudnn)
if [ -n "$cudnn" ] && says cudnn.h 'CUDNN_VERSION >= 90800'; then
    libraries="$libraries $cudnn"
    left_out="$left_out without_cudnn"
else
    echo "built without cuDNN: convolutions and attention are left out"
    left_out="$left_out cudnn_graph network_check network_graphs networks"
fi
nccl=$(library nccl)
if [ -n "$nccl" ] && says nccl.h 1; then
    libraries="$libraries $nccl"
    left_out="$left_out without_nccl"
else
    echo "built without NCCL: collectives are left out"
    left_out="$left_out collectives ranks"
fi
if says cupti_range_profiler.h 1; then
    left_out="$left_out without_counters"
else
    left_out="$left_out counter_set counters"
fi

code=
for number in 80 90 100; do
    if nvcc --list-gpu-code | grep -qx "sm_$number"; then
        code="$code -gencode=arch=compute_$number,code=sm_$number"
    fi
done
common="-std=c++20 -O2 -fPIC -fvisibility=hidden -DFMT_HEADER_ONLY $includes"
jobs=$(nproc)
commands=$out/commands
: >"$commands"
for source in "$root"/calibrate/cuda/*.cu; do
    echo "nvcc -std=c++20 -O3 -Xcompiler=-fPIC -I$root -I$root/oracle $code -gencode=arch=compute_80,code=compute_80 -c $source -o $out/$(basename "$source").o" >>"$commands"
done
for source in "$root"/calibrate/cuda/*.cpp; do
    name=$(basename "$source" .cpp)
    case " $left_out standalone " in *" $name "*) continue ;; esac
    echo "g++ $common -c $source -o $out/cuda_$name.o" >>"$commands"
done
for source in "$root"/calibrate/record/*.cpp "$root"/calibrate/compression/*.cpp; do
    echo "g++ $common -c $source -o $out/base_$(basename "$source" .cpp).o" >>"$commands"
done
for name in cases/case_list cases/cuda_cases cuda/standalone; do
    echo "g++ $common -c $root/calibrate/$name.cpp -o $out/program/$(basename $name).o" >>"$commands"
done
for source in "$root"/oracle/base/*.cpp; do
    echo "g++ $common -c $source -o $out/base_$(basename "$source" .cpp).o" >>"$commands"
done
xargs -P "$jobs" -I{} sh -c '{}' <"$commands"

paths=
for file in $libraries; do
    paths="$paths -Wl,-rpath,$(dirname "$file")"
done
# shellcheck disable=SC2086  # lists of files and options
g++ -shared -o "$out/dodona-calibrate-cuda.so" "$out"/*.o $libraries $paths -ldl -lpthread
g++ -o "$out/standalone" "$out"/program/*.o "$out"/base_*.o -ldl -lpthread
echo "built $out/dodona-calibrate-cuda.so and $out/standalone"
