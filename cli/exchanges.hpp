// `dodona exchanges`: the ways for replicas to agree that come with dodona, or one of them in detail.
#pragma once

#include "cli/option.hpp"

namespace dodona::cli {

Command exchanges_command();

}  // namespace dodona::cli
