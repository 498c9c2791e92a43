// dodona-calibrate, which `dodona calibrate` hands over to.
#include "calibrate/program/calibrate.hpp"
#include "cli/process.hpp"
#include "cli/program.hpp"

int main(int argc, char** argv) {
    return dodona::cli::run_process(argc, argv, "dodona calibrate", [](const std::vector<std::string>& words) {
        return dodona::cli::run_command(dodona::calibrate::calibrate_command(), words, dodona::cli::commands());
    });
}
