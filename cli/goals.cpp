#include "cli/goals.hpp"

#include "cli/files.hpp"

namespace dodona::cli {

void resolve_machines(questions::GoalOptions& options) {
    for (questions::MachinePrice& price : options.prices) {
        if (const auto meant = library().resolve_alias(files::NameOf::cluster, price.machine)) {
            price.machine = meant->name;
        }
    }
}

}  // namespace dodona::cli
