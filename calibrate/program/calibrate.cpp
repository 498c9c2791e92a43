#include "calibrate/program/calibrate.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "base/whole_file.hpp"
#include "calibrate/cases/algorithm_cases.hpp"
#include "calibrate/cases/cpu_cases.hpp"
#include "calibrate/cases/general_cases.hpp"
#include "calibrate/imports/link_speeds.hpp"
#include "calibrate/imports/topology_facts.hpp"
#include "calibrate/machine/assembly.hpp"
#include "calibrate/machine/comparison.hpp"
#include "calibrate/machine/measured_device.hpp"
#include "calibrate/measure/runner.hpp"
#include "calibrate/network/refinement.hpp"
#include "calibrate/program/host_state.hpp"
#include "calibrate/program/live_table.hpp"
#include "calibrate/program/options.hpp"
#include "calibrate/program/report.hpp"
#include "cli/exit_code.hpp"
#include "cli/files.hpp"
#include "cli/interrupt.hpp"
#include "cli/missing.hpp"
#include "cli/note.hpp"
#include "cli/schema_comment.hpp"
#include "files/machine_file.hpp"
#include "files/yaml_writer.hpp"
#include "runner/guard.hpp"

namespace dodona::calibrate {

namespace {

using namespace cli;

constexpr int kMaxRounds = 6;          ///< of halving intervals of tables of collectives
constexpr double kQuickSeconds = 0.2;  ///< that a case may sample for
constexpr double kSeconds = 2;
constexpr int kWrittenDigits = 6;  ///< of a measured number

/// On one line, whatever the file is called.
std::string shown_name(const std::string& path) {
    std::string name = std::filesystem::path(path).filename().string();
    std::replace(name.begin(), name.end(), '\n', ' ');
    return name;
}

/// What happened, for the summary.
struct CalibrationRun {
    std::size_t measured = 0;
    std::size_t before = 0;
    std::vector<Failure> failures;
    std::vector<std::string> lacking;
};

/// A machine of which only the device is known.
cluster::Cluster with_device(const std::string& device) {
    cluster::Cluster alone;
    alone.device = library().device(device);
    alone.source = alone.device.source;
    return alone;
}

/// What the user says of the machine.
std::optional<cluster::Cluster> known(const CalibrateOptions& options) {
    if (!options.machine.empty()) {
        return read_machine(options.machine);
    }
    return options.device.empty() ? std::nullopt : std::optional(with_device(options.device));
}

class Calibration {
public:
    Calibration(const CalibrateOptions& options, std::vector<Case> networks)
        : options_(options), networks_(std::move(networks)), before_(known(options)), journal_(options.records()) {}

    void import_logs() {
        if (options_.imports.empty()) {
            return;
        }
        Imported imported = import_files(options_.imports, options_.import_options);
        for (const Diagnostic& note : imported.notes) {
            fmt::print(stderr, "{}", to_text(note));
        }
        for (const Record& record : imported.records) {
            if (const auto* environment = std::get_if<Environment>(&record.what)) {
                journal_.check_device(record.backend, *environment);
            }
        }
        for (const Record& record : imported.records) {
            const auto* measured = std::get_if<Measurement>(&record.what);
            if (measured == nullptr || options_.again || !journal_.has(record.backend, record.pass, measured->of)) {
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
                 "a machine has one topology: import the other into a machine file of its own");
        }
        for (const Topology& topology : imported.topologies) {
            take_device_of(topology);
            keep(topology);
        }
    }

    /// What can be refused is refused before anything is measured.
    void measure() {
        std::vector<BackEnd> asked;
        std::vector<Planned> planned;
        for (BackEnd& backend : back_ends({.folders = usual_folders(),
                                .mpirun = options_.mpirun,
                                .program = options_.program,
                                .guard = &guard_})) {
            if (!contains(options_.backends, backend.name)) {
                continue;
            }
            if (auto plan = planned_with(backend)) {
                asked.push_back(std::move(backend));
                planned.push_back(std::move(*plan));
            }
        }
        check(planned);
        for (const Planned& one : planned) {
            std::vector<Case> open = one.cases;
            std::erase_if(open,
                          [&](const Case& of) { return !options_.again && journal_.has(one.backend, Pass::time, of); });
            if (!open.empty()) {
                note("{}", planned_text(one.backend, open, settings(Pass::time).most_seconds));
                live_.plan(one.backend, open);
            }
        }
        host_ = Environment{host_state()};
        for (std::size_t i = 0; i < asked.size(); ++i) {
            measure(asked[i], planned[i].cases);
        }
        live_.clear();
        if (!session_.lacking.empty() && session_.lacking.size() == options_.backends.size() &&
            options_.imports.empty() && session_.measured + session_.before == 0) {
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
            note("stopped; {} keeps what is measured, and the same command goes on", options_.records());
        }
        return interrupted() ? kInterrupted : kAnswered;
    }

private:
    /// The built-in that the site's files name, where it is neither described nor measured.
    void take_device_of(const Topology& topology) {
        const auto named = library().resolve_alias(files::NameOf::device, topology.device);
        if (!before_ && options_.backends.empty() && named) {
            note("{} is taken as {}", topology.device, named->name);
            before_ = with_device(named->name);
        }
    }

    void keep(const Topology& topology) {
        const LevelOptions options = options_of(topology);
        static_cast<void>(levels_of(topology, options));  // reports what is missing at the file that lacks it
        const auto facts = topology_facts(topology, options);
        if (facts != facts_of(journal_.records(), kTopologyRecords)) {
            journal_.append(
                {.backend = kTopologyRecords, .pass = Pass::time, .date = date_now(), .what = Environment{facts}});
        }
    }

    Parts parts() const {
        return {.name = options_.name,
                .records = &journal_.records(),
                .before = before_ ? &*before_ : nullptr,
                .levels = levels(),
                .threads = options_.threads};
    }

    void write() {
        Assembled made = assembled(parts());
        if (interrupted()) {
            made.missing.push_back("all that was still to be measured: stopped, and the same command goes on");
        }
        write_machine(made.cluster);
        append(made.missing, session_.lacking);
        cli::print(calibration_text({.profile = options_.profile,
                                     .records = options_.records(),
                                     .measured = session_.measured,
                                     .before = session_.before,
                                     .failures = session_.failures,
                                     .kinds = measured_kinds(journal_.records()),
                                     .parts = made.measured,
                                     .missing = made.missing}));
    }

    /// A machine file that cannot be read back is not written.
    void write_machine(const cluster::Cluster& made) const {
        std::vector<std::string> comments{"Written by `dodona calibrate`; what the keys mean: docs/files.md.",
                                          fmt::format("Records: {}", shown_name(options_.records()))};
        if (const std::string state = host_state_text(journal_.records()); !state.empty()) {
            comments.push_back("State of the host when measuring began: " + state + ".");
        }
        if (interrupted()) {
            comments.emplace_back("Partial: stopped before everything was measured.");
        }
        const std::string text = files::to_yaml(made, {.digits = kWrittenDigits, .comments = std::move(comments)});
        try {
            static_cast<void>(
                files::read_cluster(files::parse_document(text, options_.profile), library().machine_openers()));
        } catch (const InputError& error) {
            fail({}, fmt::format("{} makes no machine: {}", options_.records(), error.diagnostics().front().message),
                 "its lines hold values that no machine has: measure them again, into another file");
        }
        write_whole(options_.profile, cli::schema_comment("cluster", options_.profile) + text);
    }

    Settings settings(Pass pass) const {
        return {.pass = pass,
                .quick = options_.quick,
                .most_seconds = options_.quick ? kQuickSeconds : kSeconds,
                .seed = options_.seed};
    }

    /// The state of the host is kept with the first measurement that was taken in it: failures alone change no machine.
    void keep_host(const Record& record) {
        if (host_ && std::holds_alternative<Measurement>(record.what)) {
            journal_.append({.backend = kHostRecords, .pass = Pass::time, .date = record.date, .what = *host_});
            host_.reset();
        }
    }

    Watch watch() {
        return {.asked = [this](const Case& of) { live_.asked(of); },
                .answered =
                    [this](const Record& record) {
                        keep_host(record);
                        live_.answered(record);
                    },
                .interrupted = interrupted};
    }

    /// A back end that is missing may be what the machine lacks.
    void check(const std::vector<Planned>& planned) const {
        if (planned.empty()) {
            return;
        }
        try {
            check_planned(parts(), planned);
        } catch (const InputError&) {
            for (const std::string& lacking : session_.lacking) {
                note("{}", lacking);
            }
            throw;
        }
    }

    /// None where the back end lacks something, or the user has stopped.
    std::optional<Planned> planned_with(const BackEnd& backend) {
        if (interrupted()) {
            return std::nullopt;
        }
        const auto found = environment_of(backend, settings(Pass::time), watch());
        if (const auto* lacking = std::get_if<Lacking>(&found)) {
            if (!interrupted()) {
                session_.lacking.push_back(fmt::format("{}\n  help: {}", lacking->why, lacking->help));
            }
            return std::nullopt;
        }
        const auto& environment = std::get<Environment>(found);
        journal_.check_device(backend.name, environment);
        return Planned{.backend = backend.name,
                       .environment = environment,
                       .cases = cases_of(backend, environment),
                       .networks = networks_};
    }

    void measure(const BackEnd& backend, const std::vector<Case>& cases) {
        for (const Pass pass : backend.passes) {
            if (pass == Pass::time || !options_.quick) {
                measure(backend, pass, cases);
            }
        }
        for (int round = 0; backend.name == "mpi" && round < kMaxRounds && !interrupted(); ++round) {
            const auto finer = options_.quick ? std::vector<Case>{} : refinements(journal_.records(), backend.name);
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
        Outcome outcome = run({.backend = backend, .settings = settings(pass), .cases = cases, .again = options_.again},
                              journal_, watch());
        session_.measured += outcome.measured;
        session_.before += outcome.before;
        append(session_.failures, outcome.failures);
        if (outcome.lacking) {
            session_.lacking.push_back(fmt::format("{}\n  help: {}", outcome.lacking->why, outcome.lacking->help));
        }
    }

    /// Of networks their own kernels, on whatever computes; else the general list.
    std::vector<Case> cases_of(const BackEnd& backend, const Environment& environment) const {
        const GeneralCases asked{.backend = backend.name,
                                 .environment = environment,
                                 .options = {.quick = options_.quick},
                                 .threads = options_.threads,
                                 .directory = options_.directory};
        const bool computes = backend.name == "cpu" || backend.name == "cuda" || backend.name == "program";
        const bool of_networks = computes && !networks_.empty();
        std::vector<Case> cases = of_networks ? beside_model_cases(asked) : general_cases(asked);
        if (of_networks && is_gpu(environment)) {
            cases.insert(cases.end(), networks_.begin(), networks_.end());
        } else if (of_networks) {
            add_on_threads(cases);
        }
        const std::vector<Case> again = algorithm_cases(cases, algorithms_of(environment), options_.threads);
        cases.insert(cases.end(), again.begin(), again.end());
        return cases;
    }

    /// A network's kernels on all cores; forward also on one, and more threads than cores on them.
    void add_on_threads(std::vector<Case>& cases) const {
        for (Case one : networks_) {
            one.parameters["threads"] = static_cast<double>(options_.threads);
            cases.push_back(one);
            if (options_.threads > 1 && one.word("direction") == "forward") {
                one.parameters["threads"] = 1.0;
                cases.push_back(std::move(one));
            }
        }
        if (options_.threads > 1) {
            const std::vector<Case> crowds = crowds_of(networks_, options_.threads);
            cases.insert(cases.end(), crowds.begin(), crowds.end());
        }
    }

    /// What the user says of links; where nobody names the device, that of the machine.
    LevelOptions options_of(const Topology& topology) const {
        LevelOptions options = options_.levels;
        if (options.device.empty() && topology.device.empty() && !options_.machine.empty()) {
            const std::string& device = before_->device.name;
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
        const Location where{std::make_shared<const Source>(Source{.name = options_.records(), .lines = {}})};
        return levels_of(topology_from(facts, where), options_from(facts, options_.levels, where));
    }

    const CalibrateOptions& options_;
    runner::Guard guard_{1};  ///< begins before the journal is open, whose lock it would keep
    std::vector<Case> networks_;
    std::optional<cluster::Cluster> before_;  ///< the machine's description so far
    Journal journal_;
    LiveTable live_;
    std::optional<Environment> host_;  ///< when measuring began, until it is kept
    CalibrationRun session_;
};

void print_comparison(const std::string& first, const std::vector<Record>& before, const std::string& second) {
    const std::vector<Record> after = read_records(records_of(second));
    print(calibration_comparison_text(first, second, compare(before, after)));
}

int measured(Arguments& arguments) {
    const CalibrateOptions options = read_calibrate_options(arguments);
    std::vector<Case> networks = asked_model_cases(arguments);
    arguments.throw_if_faults();
    listen_for_any_end();
    Calibration calibration(options, std::move(networks));
    calibration.import_logs();
    calibration.measure();
    return calibration.finish();
}

/// Two calibrations, or an old one and what is measured now.
int compared(Arguments& arguments) {
    const std::vector<std::string> files = arguments.all("FILE");
    const std::string now = arguments.text("--output").value_or("");
    if (files.size() != (now.empty() ? 2 : 1)) {
        arguments.fault("--compare",
                        fmt::format("two calibrations are compared, not {}", files.size() + (now.empty() ? 0 : 1)),
                        "usage: dodona calibrate --compare A.yaml B.yaml, or --compare OLD.yaml -o NEW.yaml");
    }
    arguments.throw_if_faults();
    const std::vector<Record> before = read_records(records_of(files[0]));
    const int code = now.empty() ? kAnswered : measured(arguments);
    print_comparison(files[0], before, now.empty() ? files[1] : now);
    return code;
}

int run_calibrate(Arguments& arguments) {
    if (arguments.has("--compare")) {
        return compared(arguments);
    }
    if (arguments.has("FILE") && !arguments.has("--import")) {
        arguments.fault("FILE", "files are only named with --compare and --import",
                        "add --compare; logs are read with --import LOG");
    }
    return measured(arguments);
}

std::vector<Option> calibrate_command_options() {
    std::vector<Option> all = calibrate_options();
    all.push_back({"-o,--output", "PROFILE.yaml",
                   "the machine file to write; records go beside it, to\nPROFILE.records.jsonl, and a "
                   "second run goes on from there",
                   "Output"});
    return all;
}

}  // namespace

cli::Command calibrate_command() {
    return {.name = "calibrate",
            .summary = "measure a machine with its real kernels and links, or import what others measured",
            .usage = "-o PROFILE.yaml | --compare A B | --compare OLD -o PROFILE.yaml",
            .positionals = {{.name = "FILE", .description = "calibrations, or logs", .required = false, .many = true}},
            .options = calibrate_command_options(),
            .examples =
                "What it writes is a machine: dodona plan MODEL --machine PROFILE.yaml ...\n"
                "Ctrl-C keeps what is measured; the same command goes on. A part that cannot be measured is\n"
                "named and left out; exit code 3 where nothing could be.\n\n"
                "Examples:\n"
                "  dodona calibrate --quick -o here.yaml\n"
                "  dodona calibrate --backend cpu,mpi --model resnet50 --micro-batch 8 --threads 1 -o here.yaml\n"
                "  dodona calibrate --import all_reduce.log --machine dgx-h100 -o mine.yaml\n"
                "  dodona calibrate --compare may.yaml november.yaml\n"
                "  dodona calibrate --compare may.yaml -o today.yaml",
            .run = run_calibrate};
}

}  // namespace dodona::calibrate
