#include "calibrate/mpi/exercise.hpp"

#include "base/check.hpp"

namespace dodona::calibrate {

std::unique_ptr<Exercise> make_exercise(const Case& asked, MPI_Comm group) {
    if (asked.benchmark == "collective") {
        return make_collective(asked, group);
    }
    if (asked.benchmark == "send") {
        return make_messages(asked, group);
    }
    check(asked.benchmark == "interference", "placement refuses all other benchmarks");
    return make_interference(asked, group);
}

}  // namespace dodona::calibrate
