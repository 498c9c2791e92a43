// dodona.
#include "cli/process.hpp"
#include "cli/program.hpp"

int main(int argc, char** argv) { return dodona::cli::run_process(argc, argv, "dodona", dodona::cli::run); }
