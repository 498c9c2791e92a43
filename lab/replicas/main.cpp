// dodona-exchange: replicas that really train and exchange. Started by mpirun on all ranks; rank 0 speaks.
#include <cstdio>

#include "calibrate/mpi/world.hpp"
#include "cli/exit_code.hpp"
#include "cli/process.hpp"
#include "cli/program.hpp"
#include "lab/replicas/command.hpp"

int main(int argc, char** argv) {
    const dodona::calibrate::Mpi mpi(argc, argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != 0 &&
        (std::freopen("/dev/null", "w", stdout) == nullptr || std::freopen("/dev/null", "w", stderr) == nullptr)) {
        return 1;
    }
    const int code = dodona::cli::run_process(argc, argv, "dodona-exchange", [](const std::vector<std::string>& words) {
        return dodona::cli::run_command(dodona::calibrate::exchange_command(), words, {});
    });
    if (code >= dodona::cli::kOurFault) {
        MPI_Abort(MPI_COMM_WORLD, code);  // the others may wait for this rank
    }
    return code;
}
