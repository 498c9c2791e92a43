// dodona-fit-frameworks RUNS.csv --data DIR [--framework NAME]... [--leave-one-out FILE] [--write]
#include <cstdio>
#include <exception>
#include <fstream>
#include <map>
#include <set>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "calibrate/framework_fit.hpp"
#include "input/framework_file.hpp"
#include "input/library.hpp"
#include "validate/plan_of_run.hpp"

namespace {

using namespace dodona;
namespace fs = std::filesystem;

constexpr std::size_t kParts = 5;  ///< of a framework's only group, held out in turn

struct Options {
    std::string runs;
    std::string data = ".";
    std::vector<std::string> frameworks;
    bool leave_one_out = false;
    bool write = false;
    bool verbose = false;
};

std::vector<input::Run> of_framework(const std::vector<input::Run>& all, const input::RunConventions& conventions,
                                     const plan::Framework& framework) {
    std::vector<input::Run> runs;
    for (const input::Run& run : all) {
        const input::RunWord* word = validate::first_match(run, conventions.frameworks);
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

/// Errors of each group by a fit that did not see it; of an only group by fits to the other four fifths.
std::map<std::string, double> held_out(const std::vector<input::Run>& runs, validate::Questions& questions,
                                       const plan::Framework& start) {
    std::map<std::string, double> errors;
    std::set<std::string> groups;
    for (const input::Run& run : runs) {
        groups.insert(run.group);
    }
    if (groups.size() == 1) {
        double sum = 0;
        std::size_t count = 0;
        for (std::size_t part = 0; part < kParts; ++part) {
            std::vector<input::Run> seen, unseen;
            for (std::size_t i = 0; i < runs.size(); ++i) {
                (i % kParts == part ? unseen : seen).push_back(runs[i]);
            }
            if (unseen.empty() || seen.empty()) {
                continue;
            }
            const auto fitted = calibrate::fit(seen, questions, start, [](const std::string&) {});
            for (const auto& [group, error] : calibrate::errors_by_group(unseen, questions, fitted.framework)) {
                sum += error * static_cast<double>(unseen.size());
                count += unseen.size();
            }
        }
        errors[*groups.begin()] = sum / static_cast<double>(std::max<std::size_t>(1, count));
        return errors;
    }
    for (const std::string& group : groups) {
        std::vector<input::Run> seen, unseen;
        for (const input::Run& run : runs) {
            (run.group == group ? unseen : seen).push_back(run);
        }
        const auto fitted = calibrate::fit(seen, questions, start, [](const std::string&) {});
        for (const auto& [name, error] : calibrate::errors_by_group(unseen, questions, fitted.framework)) {
            errors[name] = error;
        }
    }
    return errors;
}

void run(const Options& options) {
    const input::Library library{fs::path(options.data)};
    const input::RunConventions conventions = library.run_conventions();
    const std::vector<input::Run> all = input::load_runs(options.runs, input::command_line());
    validate::Questions questions(library);
    for (const std::string& name : options.frameworks.empty() ? library.frameworks() : options.frameworks) {
        const plan::Framework start = library.framework(name);
        const std::vector<input::Run> runs = of_framework(all, conventions, start);
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
        std::map<std::string, double> out;
        if (options.leave_one_out) {
            out = held_out(runs, questions, start);
        }
        fmt::print("    {:<26} {:>8} {:>8} {:>8}\n", "group", "before", "fitted", "held out");
        for (const auto& [group, error] : after) {
            fmt::print("    {:<26} {:8.2f} {:8.2f} {:>8}\n", group, 100 * before.at(group), 100 * error,
                       out.count(group) > 0 ? fmt::format("{:.2f}", 100 * out[group]) : "");
        }
        fmt::print("    mean {:.2f} %, spread {:.3f}, {} evaluations\n", 100 * fitted.error, fitted.spread,
                   fitted.evaluations);
        std::fflush(stdout);
        if (options.write) {
            fitted.framework.spread = fitted.spread;
            std::ofstream file(fs::path(options.data) / "oracle/plan/frameworks" / (name + ".yaml"));
            file << input::framework_to_yaml(fitted.framework);
        }
        questions.replace(fitted.framework);
    }
}

}  // namespace

int main(int count, char** words) {
    Options options;
    CLI::App app("Fits the free parameters of frameworks to published runs.");
    app.add_option("RUNS", options.runs, "table of runs")->required();
    app.add_option("--data", options.data, "the directory that holds oracle/, models/ and hardware/");
    app.add_option("--framework", options.frameworks, "only these");
    app.add_flag("--leave-one-out", options.leave_one_out, "fit again without each group");
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
