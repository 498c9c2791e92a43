// The commands, each in the file of its name: what it is called, its options, and what runs it.
#pragma once

#include "cli/option.hpp"

namespace dodona::cli {

Command plan_command();
Command compare_command();
Command predict_command();
Command simulate_command();
Command size_command();
Command goodput_command();
Command trials_command();
Command trials_run_command();
Command tables_command();
Command largest_command();
Command limits_command();
Command report_command();
Command explorer_command();
Command diff_command();
Command models_command();
Command machines_command();
Command devices_command();
Command strategies_command();
Command exchanges_command();
Command systems_command();
Command frameworks_command();
Command check_command();
Command import_command();
Command validate_command();
Command watch_command();

}  // namespace dodona::cli
