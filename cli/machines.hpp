// `dodona machines`: the clusters that come with dodona, or one cluster in detail.
#pragma once

#include "cli/option.hpp"

namespace dodona::cli {

Command machines_command();

}  // namespace dodona::cli
