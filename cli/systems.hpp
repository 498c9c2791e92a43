// `dodona systems`: published systems of distributed training by how they are made, or one of them.
#pragma once

#include "cli/option.hpp"

namespace dodona::cli {

Command systems_command();

}  // namespace dodona::cli
