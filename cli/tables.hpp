// `dodona tables`: where the embedding tables of a network lie in the memories of a machine.
#pragma once

#include "cli/option.hpp"

namespace dodona::cli {

Command tables_command();

}  // namespace dodona::cli
