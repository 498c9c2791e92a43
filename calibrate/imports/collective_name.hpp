// Which collective a run of nccl-tests was.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dodona::calibrate {

/// A program of nccl-tests.
struct NcclProgram {
    std::string_view stem;        ///< "all_reduce" of all_reduce_perf
    std::string_view collective;  ///< as benchmark_case.hpp calls it; "send" is a benchmark of its own
    enum class Moves { twice, once, whole } moves;  ///< bus / algorithm bandwidth: 2(n-1)/n, (n-1)/n, 1
    bool reduces;                                   ///< the column redop names an operation
    bool rooted;                                    ///< the column root has a rank
    bool taken;                                     ///< records are made of it
};

/// The program that a text names: "all_reduce_perf", "./build/all_gather_perf_mpi -b 8", "alltoall-8gpu.log". Null
/// where it names none. "reduce_scatter" is not "reduce", nor "alltoallv" "alltoall".
const NcclProgram* program_named(std::string_view text);

/// The program of a collective ("all-gather") that a user gives; null where there is none.
const NcclProgram* program_of(std::string_view collective);

/// Programs whose rows look so: bus over algorithm bandwidth in a group of n, an operation, a root.
std::vector<const NcclProgram*> programs_like(double ratio, double tolerance, double n, bool reduces, bool rooted);

/// bus / algorithm bandwidth of a program in a group of n.
double bus_ratio(const NcclProgram& program, double n);

/// "all-reduce, all-gather ...": what records are made of.
std::string known_collectives();

}  // namespace dodona::calibrate
