#include "cli/machines.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>

#include <fmt/format.h>

#include "cli/files.hpp"
#include "cli/listing.hpp"
#include "reports/figures.hpp"
#include "reports/machine.hpp"
#include "reports/machine_kernels.hpp"

namespace dodona::cli {

namespace {

/// A calibration gets old: the only place but calibrate's own where an answer knows what day it is.
std::string age(const cluster::Cluster& cluster) {
    const auto days = reports::measured_days(cluster);
    if (!days) {
        return "";
    }
    std::tm measured{};
    if (::strptime(days->last.c_str(), "%Y-%m-%d", &measured) == nullptr) {
        return "";
    }
    constexpr double kDay = 86'400;
    const double passed = std::floor(std::difftime(std::time(nullptr), ::timegm(&measured)) / kDay);
    const auto whole = static_cast<std::int64_t>(std::max(0.0, passed));
    return fmt::format("\nThe last measurement is {} old.\n", reports::counted(whole, "day"));
}

std::string text(const cluster::Cluster& cluster, reports::Style style) {
    return reports::machine_text(cluster, style) + age(cluster);
}

int run_machines(Arguments& arguments) {
    return run_listing<cluster::Cluster>(arguments, {.plural = "machines",
                                                     .names = library().clusters(),
                                                     .read = read_machine,
                                                     .json = reports::machine_json,
                                                     .text = text,
                                                     .markdown = reports::machine_markdown,
                                                     .list_json = reports::machines_json,
                                                     .table = reports::machines_table});
}

}  // namespace

Command machines_command() {
    return {.name = "machines",
            .summary = "the machines that come with dodona, or one of them",
            .positionals = {{.name = "NAME", .description = "show this one: built in, or a file", .required = false}},
            .options = output_options(),
            .examples = "Examples:\n  dodona machines\n  dodona machines abci",
            .run = run_machines};
}

}  // namespace dodona::cli
