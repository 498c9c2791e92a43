#include "cli/machines.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>

#include <fmt/format.h>

#include "cli/files.hpp"
#include "cli/listing.hpp"
#include "reports/collect/machine_kernels.hpp"
#include "reports/collect/machine_report.hpp"
#include "reports/document/number_format.hpp"

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
    return fmt::format("The last measurement is {} old.", reports::counted(whole, "day"));
}

reports::Document document(const cluster::Cluster& cluster) {
    reports::Document all = reports::machine_document(cluster);
    reports::add(all, reports::Note{age(cluster)});
    return all;
}

int run_machines(Arguments& arguments) {
    return run_listing<cluster::Cluster>(
        arguments,
        {.names = library().clusters(), .read = read_machine, .one = document, .all = reports::machines_document});
}

}  // namespace

Command machines_command() {
    return {.name = "machines",
            .summary = "the machines that come with dodona, or one of them",
            .positionals = {{.name = "NAME",
                             .description = "show this one: built in, or a file",
                             .required = false,
                             .completes = Names::machines}},
            .options = output_options(),
            .examples = "Examples:\n  dodona machines\n  dodona machines abci",
            .run = run_machines};
}

}  // namespace dodona::cli
