// dodona-calibrate-mpi: measures the network that MPI runs on. Started by mpirun on all ranks; rank 0 speaks.
#include <unistd.h>

#include <cstdio>

#include "base/diagnostic.hpp"
#include "calibrate/mpi/by_hand.hpp"
#include "calibrate/mpi/commands.hpp"
#include "calibrate/mpi/instrument.hpp"
#include "calibrate/mpi/world.hpp"

namespace {

using namespace dodona::calibrate;

int speak(const std::vector<std::string>& words) {
    if (words.empty()) {
        return serve("mpi", make_mpi_instrument, STDIN_FILENO, STDOUT_FILENO);
    }
    if (words.front() == "--help" || words.front() == "-h") {
        std::fputs(usage().c_str(), stdout);
        return 0;
    }
    return measure_by_hand(by_hand_from(words));
}

int run(const std::vector<std::string>& words) {
    try {
        return speak(words);
    } catch (const dodona::InputError& error) {
        std::fputs(error.what(), stderr);
        return 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "internal error: %s\n", error.what());
        return 70;
    }
}

}  // namespace

int main(int argc, char** argv) {
    const Mpi mpi(argc, argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != 0) {
        follow_orders();
        return 0;
    }
    const int status = run({argv + 1, argv + argc});
    send_end();
    return status;
}
