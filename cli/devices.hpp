// `dodona devices`: the devices that come with dodona, or one of them with the machines that have it.
#pragma once

#include "cli/option.hpp"

namespace dodona::cli {

Command devices_command();

}  // namespace dodona::cli
