#include "calibrate/mpi/group_benchmark.hpp"

#include "base/check.hpp"

namespace dodona::calibrate {

std::unique_ptr<GroupBenchmark> make_group_benchmark(const Case& asked, MPI_Comm group) {
    if (asked.benchmark == "collective") {
        return make_collective(asked, group);
    }
    if (asked.benchmark == "send") {
        return make_messages(asked, group);
    }
    if (asked.benchmark == "tables") {
        return make_tables(asked, group);
    }
    check(asked.benchmark == "interference", "placement refuses all other benchmarks");
    return make_interference(asked, group);
}

}  // namespace dodona::calibrate
