// The commands that the module answers: `cli/program.cpp` has the table of the program.
#include "cli/commands.hpp"
#include "cli/program.hpp"

namespace dodona::cli {

std::span<const Command> commands() {
    static const std::vector<Command> all{plan_command(), predict_command()};
    return all;
}

}  // namespace dodona::cli
