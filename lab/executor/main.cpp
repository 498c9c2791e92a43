// dodona-threads: an executor of networks on a CPU, with the settings that `dodona threads` chooses.
#include "cli/process.hpp"
#include "cli/program.hpp"
#include "lab/executor/command.hpp"

int main(int argc, char** argv) {
    return dodona::cli::run_process(argc, argv, "dodona-threads", [](const std::vector<std::string>& words) {
        return dodona::cli::run_command(dodona::calibrate::executor_command(), words, {});
    });
}
