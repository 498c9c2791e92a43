// --software and --date as words; which software is the default: questions/software.hpp.
#pragma once

#include "cli/workload.hpp"
#include "questions/software.hpp"

namespace dodona::cli {

questions::SoftwareOptions read_software(Arguments& arguments, const Workload& workload);

/// Of one plan: a fault where several are named; says on stderr what the software cannot run.
plan::Framework framework_of(Arguments& arguments, const Workload& workload, const plan::Plan& plan);

}  // namespace dodona::cli
