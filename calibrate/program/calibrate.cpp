#include "calibrate/program/calibrate.hpp"

#include <cstdio>
#include <optional>

#include <fmt/format.h>

#include "calibrate/cases/general_cases.hpp"
#include "calibrate/file/whole_file.hpp"
#include "calibrate/imports/link_speeds.hpp"
#include "calibrate/imports/topology_facts.hpp"
#include "calibrate/machine/assembly.hpp"
#include "calibrate/machine/comparison.hpp"
#include "calibrate/machine/measured_device.hpp"
#include "calibrate/measure/runner.hpp"
#include "calibrate/network/refinement.hpp"
#include "calibrate/program/options.hpp"
#include "calibrate/program/report.hpp"
#include "cli/exit_code.hpp"
#include "cli/files.hpp"
#include "cli/interrupt.hpp"
#include "cli/missing.hpp"
#include "cli/progress.hpp"
#include "files/machine_file.hpp"
#include "files/yaml_writer.hpp"

namespace dodona::calibrate {

namespace {

using namespace cli;

constexpr int kMostRounds = 6;         ///< of halving intervals of tables of collectives
constexpr double kQuickSeconds = 0.2;  ///< that a case may sample for
constexpr double kSeconds = 2;
constexpr int kWrittenDigits = 6;  ///< of a measured number

/// What happened, for the summary.
struct Session {
    std::size_t measured = 0;
    std::size_t before = 0;
    std::vector<Failure> failures;
    std::vector<std::string> lacking;
};

class Calibration {
public:
    Calibration(const CalibrateWords& words, std::vector<Case> networks)
        : words_(words), networks_(std::move(networks)), journal_(words.records()), line_("cases") {}

    void import_logs() {
        if (words_.imports.empty()) {
            return;
        }
        Imported imported = import_files(words_.imports, words_.import_options);
        for (const Diagnostic& note : imported.notes) {
            fmt::print(stderr, "{}", to_text(note));
        }
        for (const Record& record : imported.records) {
            const auto* measured = std::get_if<Measurement>(&record.what);
            if (measured == nullptr || words_.again || !journal_.has(record.backend, record.pass, measured->of)) {
                journal_.append(record);
                session_.measured += measured != nullptr ? 1 : 0;
            } else {
                ++session_.before;
            }
        }
        if (imported.topologies.size() > 1) {
            const Topology& second = imported.topologies[1];
            fail(second.where,
                 fmt::format("{} is a second topology, after {}", second.source, imported.topologies[0].source),
                 "a machine has one: import the other into a profile of its own");
        }
        for (const Topology& topology : imported.topologies) {
            keep(topology);
        }
    }

    void measure() {
        const std::vector<BackEnd> all =
            back_ends({.folders = usual_folders(), .mpirun = words_.mpirun, .program = words_.program});
        for (const BackEnd& backend : all) {
            const bool asked =
                std::find(words_.backends.begin(), words_.backends.end(), backend.name) != words_.backends.end();
            if (asked && !interrupted()) {
                measure(backend);
            }
        }
        line_.clear();
        if (!session_.lacking.empty() && session_.lacking.size() == words_.backends.size() && words_.imports.empty() &&
            session_.measured + session_.before == 0) {
            throw Missing(fmt::format("{}", fmt::join(session_.lacking, "\nerror: ")));
        }
    }

    /// The machine file. Stopped too early for one, the records are kept all the same.
    int finish() {
        try {
            write();
        } catch (const InputError&) {
            if (!interrupted()) {
                throw;
            }
            fmt::print(stderr, "note: stopped; {} keeps what is measured, and the same command goes on\n",
                       words_.records());
        }
        return interrupted() ? kInterrupted : kAnswered;
    }

private:
    void keep(const Topology& topology) {
        const LevelOptions options = options_of(topology);
        static_cast<void>(levels_of(topology, options));  // reports what is missing at the file that lacks it
        const auto facts = topology_facts(topology, options);
        if (facts != facts_of(journal_.records(), kTopologyRecords)) {
            journal_.append(
                {.backend = kTopologyRecords, .pass = Pass::time, .date = date_now(), .what = Environment{facts}});
        }
    }

    void write() {
        const std::optional<cluster::Cluster> before = known();
        Assembled made = assembled({.name = words_.name,
                                    .records = &journal_.records(),
                                    .before = before ? &*before : nullptr,
                                    .levels = levels(),
                                    .threads = words_.threads});
        write_whole(
            words_.profile,
            files::to_yaml(made.cluster,
                           {.digits = kWrittenDigits,
                            .comments = {"Written by `dodona calibrate`; what the keys mean: docs/files.md.",
                                         fmt::format("Records: {}",
                                                     std::filesystem::path(words_.records()).filename().string())}}));
        for (std::string& lacking : session_.lacking) {
            made.missing.push_back(std::move(lacking));
        }
        cli::print(calibration_text({.profile = words_.profile,
                                     .records = words_.records(),
                                     .measured = session_.measured,
                                     .before = session_.before,
                                     .failures = session_.failures,
                                     .parts = made.measured,
                                     .missing = made.missing}));
    }

    Settings settings(Pass pass) const {
        return {.pass = pass,
                .quick = words_.quick,
                .most_seconds = words_.quick ? kQuickSeconds : kSeconds,
                .seed = words_.seed};
    }

    Watch watch(const std::string& backend) {
        return {.progress =
                    [this, backend](std::size_t done, std::size_t all, const std::string& doing) {
                        line_.show(static_cast<std::int64_t>(done), static_cast<std::int64_t>(all),
                                   fmt::format("{}: {}", backend, doing));
                    },
                .interrupted = interrupted};
    }

    void measure(const BackEnd& backend) {
        const auto found = environment_of(backend, settings(Pass::time), watch(backend.name));
        if (const auto* lacking = std::get_if<Lacking>(&found)) {
            if (!interrupted()) {
                session_.lacking.push_back(fmt::format("{}\n  help: {}", lacking->why, lacking->help));
            }
            return;
        }
        const std::vector<Case> cases = cases_of(backend, std::get<Environment>(found));
        for (const Pass pass : backend.passes) {
            if (pass == Pass::time || !words_.quick) {
                measure(backend, pass, cases);
            }
        }
        for (int round = 0; backend.name == "mpi" && round < kMostRounds && !interrupted(); ++round) {
            const auto finer = words_.quick ? std::vector<Case>{} : refinements(journal_.records(), backend.name);
            if (finer.empty()) {
                break;
            }
            measure(backend, Pass::time, finer);
        }
    }

    void measure(const BackEnd& backend, Pass pass, const std::vector<Case>& cases) {
        if (interrupted()) {
            return;
        }
        Outcome outcome = run({.backend = backend, .settings = settings(pass), .cases = cases, .again = words_.again},
                              journal_, watch(backend.name));
        session_.measured += outcome.measured;
        session_.before += outcome.before;
        for (Failure& failure : outcome.failures) {
            session_.failures.push_back(std::move(failure));
        }
        if (outcome.lacking) {
            session_.lacking.push_back(fmt::format("{}\n  help: {}", outcome.lacking->why, outcome.lacking->help));
        }
    }

    /// Of networks their own kernels, on whatever computes; else the general list.
    std::vector<Case> cases_of(const BackEnd& backend, const Environment& environment) const {
        const GeneralCases asked{.backend = backend.name,
                                 .environment = environment,
                                 .options = {.quick = words_.quick},
                                 .threads = words_.threads,
                                 .directory = words_.directory};
        const bool computes = backend.name == "cpu" || backend.name == "cuda" || backend.name == "program";
        if (networks_.empty() || !computes) {
            return general_cases(asked);
        }
        std::vector<Case> cases = beside_model_cases(asked);
        for (Case one : networks_) {
            if (backend.name != "cuda") {
                one.parameters["threads"] = static_cast<double>(words_.threads);
            }
            cases.push_back(std::move(one));
        }
        return cases;
    }

    /// What the user says of the machine.
    std::optional<cluster::Cluster> known() const {
        if (!words_.machine.empty()) {
            return read_machine(words_.machine);
        }
        if (words_.device.empty()) {
            return std::nullopt;
        }
        cluster::Cluster alone;
        alone.device = library().device(words_.device);
        alone.source = alone.device.source;
        return alone;
    }

    /// What the user says of links; where nobody names the device, that of the machine.
    LevelOptions options_of(const Topology& topology) const {
        LevelOptions options = words_.levels;
        if (options.device.empty() && topology.device.empty() && !words_.machine.empty()) {
            const std::string device = read_machine(words_.machine).device.name;
            options.device = links_of(device) != nullptr ? device : std::string();
        }
        return options;
    }

    /// Of the topology that was imported, now or by an earlier run.
    std::vector<DescribedLevel> levels() const {
        const auto facts = facts_of(journal_.records(), kTopologyRecords);
        if (facts.empty()) {
            return {};
        }
        const Location where{std::make_shared<const Source>(Source{.name = words_.records(), .lines = {}})};
        return levels_of(topology_from(facts, where), options_from(facts, words_.levels, where));
    }

    const CalibrateWords& words_;
    std::vector<Case> networks_;
    Journal journal_;
    ProgressLine line_;
    Session session_;
};

int compare(Arguments& arguments) {
    const std::vector<std::string> files = arguments.all("FILE");
    if (files.size() != 2) {
        arguments.fault("--compare", fmt::format("two calibrations are compared, not {}", files.size()),
                        "usage: dodona calibrate --compare A.yaml B.yaml");
    }
    arguments.throw_if_faults();
    const std::vector<Record> first = read_records(records_of(files[0]));
    const std::vector<Record> second = read_records(records_of(files[1]));
    const auto comparison = compare(first, second);
    print(calibration_comparison_text(files[0], files[1], comparison));
    return kAnswered;
}

int run_calibrate(Arguments& arguments) {
    if (arguments.has("--compare")) {
        return compare(arguments);
    }
    if (!arguments.all("FILE").empty()) {
        arguments.fault("FILE", "files are named to compare them only",
                        "add --compare; logs are read with --import LOG");
    }
    const CalibrateWords words = read_calibrate_words(arguments);
    std::vector<Case> networks = asked_model_cases(arguments);
    arguments.throw_if_faults();
    listen_for_interrupt();
    Calibration calibration(words, std::move(networks));
    calibration.import_logs();
    calibration.measure();
    return calibration.finish();
}

std::vector<Option> calibrate_command_options() {
    std::vector<Option> all = calibrate_options();
    all.push_back({.names = "-o,--output",
                   .value = "PROFILE.yaml",
                   .description = "the machine file to write; records go beside it, to\nPROFILE.records.jsonl, and a "
                                  "second run goes on from there",
                   .group = "Output"});
    return all;
}

}  // namespace

cli::Command calibrate_command() {
    return {
        .name = "calibrate",
        .summary = "measure a machine with its real kernels and links, or import what others measured",
        .usage = "-o PROFILE.yaml | --compare A B",
        .positionals = {{.name = "FILE", .description = "calibrations to compare", .required = false, .many = true}},
        .options = calibrate_command_options(),
        .examples =
            "What it writes is a machine: dodona plan MODEL --machine PROFILE.yaml ...\n"
            "Ctrl-C keeps what is measured; the same command goes on. A part that cannot be measured is\n"
            "named and left out; exit code 3 where nothing could be.\n\n"
            "Examples:\n"
            "  dodona calibrate --quick -o here.yaml\n"
            "  dodona calibrate --backend cpu,mpi --model resnet50 --micro-batch 8 --threads 1 -o here.yaml\n"
            "  dodona calibrate --import all_reduce.log --machine dgx-h100 -o mine.yaml\n"
            "  dodona calibrate --compare may.yaml november.yaml",
        .run = run_calibrate};
}

}  // namespace dodona::calibrate
