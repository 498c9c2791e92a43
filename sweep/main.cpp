// dodona-sweep, started by mpirun on all ranks.
#include <algorithm>
#include <cstdio>

#include "cli/exit_code.hpp"
#include "cli/process.hpp"
#include "cli/program.hpp"
#include "sweep/messages.hpp"
#include "sweep/sweep.hpp"

namespace {

using namespace dodona;

bool is_help(const std::string& word) { return word == "--help" || word == "-h"; }

int lead_ranks(const std::vector<std::string>& words) {
    sweep::Lead lead;
    const cli::Ending ending = cli::ending_of("dodona-sweep", words, [&] {
        const bool helps = std::any_of(words.begin(), words.end(), is_help);
        return helps ? cli::run_command(sweep::sweep_command(), words, {}) : sweep::run_sweep(words, lead);
    });
    std::fputs(ending.message.c_str(), stderr);
    lead.end(ending.code);
    return ending.code;
}

}  // namespace

int main(int argc, char** argv) {
    const sweep::Mpi mpi(argc, argv);
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (sweep::rank() == 0) {
        return lead_ranks(words);
    }
    sweep::follow(words);
    return cli::kAnswered;
}
