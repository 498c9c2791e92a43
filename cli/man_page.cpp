#include "cli/man_page.hpp"

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "build_config.hpp"
#include "cli/help.hpp"

namespace dodona::cli {

namespace {

constexpr std::string_view kTop = R"(.SH NAME
dodona \- what parallelism fits a model and GPUs, and how fast it trains
.SH SYNOPSIS
.B dodona
.I COMMAND
[\fIOPTIONS\fR]
.SH DESCRIPTION
Dodona predicts time and memory of distributed training from a description of the model, the machine and the plan.
It searches plans, says how many GPUs a job needs, and explains its answers. Nothing is run on the machine that is
asked about.
.SH COMMANDS
)";

constexpr std::string_view kBottom = R"(.SH "EXIT STATUS"
.TP
0
answered
.TP
1
nothing fits, or a check failed
.TP
2
bad input
.TP
3
hardware or a library is missing
.TP
70
a fault in dodona
.TP
130
interrupted
.SH ENVIRONMENT
.TP
\fBDODONA_DATA\fR
the folder of models, machines, strategies and frameworks that come with dodona, where they are not beside the program
.TP
\fBNO_COLOR\fR
no colour on terminals, where it is not empty
)";

}  // namespace

std::string man_page(std::span<const Command> commands) {
    std::string all = fmt::format(".TH DODONA 1 \"\" \"dodona {}\" \"User Commands\"\n{}", kVersion, kTop) +
                      concatenated(commands, [](const Command& command) { return man_section(command); });
    return all + std::string(kBottom);
}

}  // namespace dodona::cli
