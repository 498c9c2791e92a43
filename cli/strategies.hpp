// `dodona strategies`: the strategies that come with dodona, or one strategy in detail.
#pragma once

#include "cli/option.hpp"

namespace dodona::cli {

Command strategies_command();

}  // namespace dodona::cli
