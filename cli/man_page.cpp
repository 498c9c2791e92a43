#include "cli/man_page.hpp"

#include <fmt/format.h>

#include "build_config.hpp"
#include "cli/parse.hpp"

namespace dodona::cli {

namespace {

/// Text as roff prints it back: no escapes, no requests, and dashes that can be copied.
std::string roff(const std::string& text) {
    std::string all;
    bool at_line_start = true;
    for (const char c : text) {
        if (at_line_start && (c == '.' || c == '\'')) {
            all += "\\&";
        }
        all += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
        at_line_start = c == '\n';
    }
    return all;
}

std::string tagged(const std::string& tag, const std::string& text) {
    return fmt::format(".TP\n{}\n{}\n", tag, roff(text));
}

std::string option_tag(const Option& option) {
    const std::string short_name =
        option.short_name().empty() ? "" : fmt::format("\\fB{}\\fR, ", roff(option.short_name()));
    const std::string value = option.takes_value() ? fmt::format(" \\fI{}\\fR", roff(option.value)) : "";
    return fmt::format("{}\\fB{}\\fR{}", short_name, roff(option.long_name()), value);
}

std::string command_section(const Command& command) {
    if (!command.handed_to.empty()) {
        return fmt::format(".SS \"dodona {}\"\n{}. \\fBdodona {} \\-\\-help\\fR lists its options.\n", command.name,
                           roff(command.summary), command.name);
    }
    std::string all = fmt::format(".SS \"{}\"\n{}.\n", roff(usage(command)), roff(command.summary));
    for (const Positional& positional : command.positionals) {
        all += tagged(fmt::format("\\fI{}\\fR", roff(positional.name)), positional.description);
    }
    std::string group;
    for (const Option& option : command.options) {
        if (option.group != group) {
            group = option.group;
            all += fmt::format(".PP\n\\fB{}\\fR\n", roff(group));
        }
        all += tagged(option_tag(option), option.description);
    }
    return all + fmt::format(".PP\n.nf\n{}\n.fi\n", roff(command.examples));
}

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
    std::string all = fmt::format(".TH DODONA 1 \"\" \"dodona {}\" \"User Commands\"\n{}", kVersion, kTop);
    for (const Command& command : commands) {
        all += command_section(command);
    }
    return all + std::string(kBottom);
}

}  // namespace dodona::cli
