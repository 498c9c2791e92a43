// dodona-fit-frameworks RUNS.csv [--data DIR] [--framework NAME]... [--held-out FILE] [--write]
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "calibrate/file/whole_file.hpp"
#include "calibrate/published/framework_fit.hpp"
#include "files/framework_file.hpp"
#include "files/library.hpp"
#include "files/yaml_writer.hpp"
#include "validate/plan_of_run.hpp"

namespace {

using namespace dodona;
namespace fs = std::filesystem;

struct Options {
    std::string runs;
    std::string data = ".";
    std::vector<std::string> frameworks;
    std::string held_out;
    bool write = false;
    bool verbose = false;
};

std::vector<files::MeasuredRun> of_framework(const std::vector<files::MeasuredRun>& all,
                                             const files::RunConventions& conventions,
                                             const plan::Framework& framework) {
    std::vector<files::MeasuredRun> runs;
    for (const files::MeasuredRun& run : all) {
        const files::RunWord* word = validate::first_match(run, conventions.frameworks);
        const auto& groups = framework.fitted_to;
        if (word != nullptr && word->word == framework.name && run.step_time &&
            std::find(groups.begin(), groups.end(), run.group) != groups.end()) {
            runs.push_back(run);
        }
    }
    return runs;
}

void print(const plan::Framework& framework) {
    for (const plan::FrameworkParameterKind& kind : plan::kFrameworkParameters) {
        const auto& number = framework.numbers[static_cast<std::size_t>(kind.parameter)];
        if (number.bounds) {
            fmt::print("    {:<14} {:.4g}  [{:.4g}, {:.4g}]  bounds {:.4g} {:.4g}\n", kind.word, number.value,
                       number.lo, number.hi, number.bounds->least, number.bounds->most);
        }
    }
}

/// What `dodona validate --held-out` reads.
void write_held_out(const std::string& path, const std::map<std::string, calibrate::GroupError>& errors) {
    std::string text =
        "leave_one_out: frameworks\n"
        "source: \"dodona-fit-frameworks RUNS.csv --held-out FILE: each group predicted by a fit to the framework's "
        "other groups; the only group of a framework by fits to four fifths of it in turn\"\ngroups:\n";
    for (const auto& [group, error] : errors) {
        text += fmt::format("  {}: {:.4f}\n", group, error.mean);
    }
    calibrate::write_whole(path, text);
}

void run(const Options& options) {
    const files::Library library{fs::path(options.data)};
    const files::RunConventions conventions = library.run_conventions();
    const std::vector<files::MeasuredRun> all = files::load_runs(options.runs, files::command_line());
    validate::Questions questions(library);
    std::map<std::string, calibrate::GroupError> all_held_out;
    for (const std::string& name : options.frameworks.empty() ? library.frameworks() : options.frameworks) {
        const plan::Framework start = library.framework(name);
        const std::vector<files::MeasuredRun> runs = of_framework(all, conventions, start);
        if (runs.empty()) {
            continue;
        }
        fmt::print("{}: {} runs\n", name, runs.size());
        const auto before = calibrate::errors_by_group(runs, questions, start);
        auto fitted = calibrate::fit(runs, questions, start, [&](const std::string& line) {
            if (options.verbose) {
                fmt::print("{}\n", line);
                std::fflush(stdout);
            }
        });
        print(fitted.framework);
        const auto after = calibrate::errors_by_group(runs, questions, fitted.framework);
        std::map<std::string, calibrate::GroupError> out;
        if (!options.held_out.empty()) {
            out = calibrate::errors_held_out(runs, questions, start);
        }
        for (const auto& [group, error] : out) {
            all_held_out[group].add(error);  // a group may have runs of several frameworks
        }
        fmt::print("    {:<26} {:>8} {:>8} {:>8}\n", "group", "before", "fitted", "held out");
        for (const auto& [group, error] : after) {
            fmt::print("    {:<26} {:8.2f} {:8.2f} {:>8}\n", group, 100 * before.at(group).mean, 100 * error.mean,
                       out.count(group) > 0 ? fmt::format("{:.2f}", 100 * out[group].mean) : "");
        }
        fmt::print("    mean {:.2f} %, spread {:.3f}\n", 100 * fitted.error, calibrate::spread_of(fitted, out));
        std::fflush(stdout);
        if (options.write) {
            fitted.framework.spread = calibrate::spread_of(fitted, out);
            const fs::path file = fs::path(options.data) / "oracle/plan/frameworks" / (name + ".yaml");
            calibrate::write_whole(file.string(), files::to_yaml(fitted.framework, {.digits = 4}));
        }
        questions.replace(fitted.framework);
    }
    if (!options.held_out.empty()) {
        write_held_out(options.held_out, all_held_out);
    }
}

}  // namespace

int main(int count, char** words) {
    Options options;
    CLI::App app("Fits the free parameters of frameworks to published runs.");
    app.add_option("RUNS", options.runs, "table of runs")->required();
    app.add_option("--data", options.data, "the directory that holds oracle/, models/ and hardware/");
    app.add_option("--framework", options.frameworks, "only these");
    app.add_option("--held-out", options.held_out, "fit again without each group, and write their errors to this file");
    app.add_flag("--write", options.write, "write the framework files anew");
    app.add_flag("--verbose", options.verbose, "show every step");
    CLI11_PARSE(app, count, words);
    try {
        run(options);
    } catch (const std::exception& fault) {
        fmt::print(stderr, "{}\n", fault.what());
        return 2;
    }
    return 0;
}
