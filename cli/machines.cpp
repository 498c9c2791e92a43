// `dodona machines`: the clusters that come with dodona, or one cluster in detail.
#include "cli/commands.hpp"

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
    if (arguments.has("--from-site")) {  // typed, it starts dodona-calibrate
        arguments.fault("--from-site", "is no option of a file", "type it");
    }
    return run_listing<cluster::Cluster>(
        arguments,
        {.kind = files::NameOf::cluster,
         .plural = "machines",
         .names = library().clusters(),
         .read = [](const std::string& name) { return read_machine(name); },
         .one = document,
         .all = reports::machines_document,
         .facts = reports::machine_facts,
         .size = [](const cluster::Cluster& cluster,
                    SizeOf what) { return what == SizeOf::memory ? cluster.device.memory.in(unit::byte) : 0; },
         .left_out = [](const cluster::Cluster& cluster) { return cluster.of_published_runs; },
         .why_left_out = "only stand for tables of published runs are"});
}

}  // namespace

Command machines_command() {
    std::vector<Option> options{all_option("machines that only stand for published runs")};
    options.push_back({"--from-site", "FILE",
                       "make the cluster file of a site; of nvidia-smi topo -m, ibstat, lspci and\n"
                       "Slurm's topology.conf: `dodona calibrate --import`, with its options",
                       "Files", kRepeats});
    append(options, output_options());
    return {.name = "machines",
            .summary = "the machines that come with dodona, or one of them",
            .positionals = listing_positionals(Names::machines),
            .options = options,
            .examples =
                "Examples:\n  dodona machines\n  dodona machines abci\n  dodona machines h100\n"
                "  dodona machines --from-site topo.txt ibstat.txt lspci.txt -o site.yaml",
            .run = run_machines};
}

}  // namespace dodona::cli
