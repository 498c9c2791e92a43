// `dodona watch LOG`: a running job's steps compared with the prediction of its plan.
#pragma once

#include "cli/option.hpp"

namespace dodona::cli {

Command watch_command();

}  // namespace dodona::cli
