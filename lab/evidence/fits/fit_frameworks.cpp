#include "lab/evidence/fits/fit_frameworks.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "base/whole_file.hpp"
#include "files/framework_file.hpp"
#include "files/library.hpp"
#include "files/run_conventions.hpp"
#include "files/yaml_writer.hpp"
#include "lab/evidence/fits/framework_fit.hpp"
#include "lab/evidence/leave_one_out.hpp"
#include "validate/plan_of_run.hpp"

namespace dodona::calibrate {

namespace {

/// Of both folders that frameworks are in.
constexpr std::string_view kFrameworkSchema = "docs/schemas/framework.schema.json";

/// The word of conventions for rows that name no software: it stands for several.
constexpr std::string_view kAsAsked = "usual";

namespace fs = std::filesystem;

/// The frameworks that the conventions name, by name; those of `names` only, where it names any.
std::vector<std::string> frameworks_of(const files::RunConventions& conventions,
                                       const std::vector<std::string>& names) {
    std::map<std::string, std::string> references;
    for (const files::ConventionLine& word : conventions.frameworks) {
        if (word.word != kAsAsked) {
            references[fs::path(word.word).filename().replace_extension().string()] = word.word;
        }
    }
    std::vector<std::string> known;
    std::vector<std::string> all;
    for (const auto& [name, reference] : references) {
        known.push_back(name);
        if (names.empty() || std::find(names.begin(), names.end(), name) != names.end()) {
            all.push_back(reference);
        }
    }
    for (const std::string& name : names) {
        if (!references.contains(name)) {
            fail({}, fmt::format("the conventions name no framework \"{}\"{}", name, did_you_mean(name, known)));
        }
    }
    return all;
}

std::vector<files::MeasuredRun> of_framework(const std::vector<files::MeasuredRun>& all,
                                             const files::RunConventions& conventions,
                                             const plan::Framework& framework) {
    std::vector<files::MeasuredRun> runs;
    for (const files::MeasuredRun& run : all) {
        const files::ConventionLine* word = validate::first_match(run, conventions.frameworks);
        const auto& groups = framework.fitted_to;
        if (word != nullptr && word->word == framework.reference && run.step_time &&
            std::find(groups.begin(), groups.end(), run.group) != groups.end()) {
            runs.push_back(run);
        }
    }
    return runs;
}

/// Extent of the runs that can be asked; those on one device say nothing of either.
void take_extent(plan::Framework& framework, const std::vector<files::MeasuredRun>& runs,
                 validate::Questions& questions) {
    std::optional<plan::ShardLevel> level;
    std::optional<std::int64_t> nodes;
    for (const files::MeasuredRun& run : runs) {
        try {
            const validate::Question asked = questions.of(run);
            if (asked.plan.devices() > 1) {
                const std::int64_t here = plan::domains_of_folds(asked.plan.folds, asked.cluster->fast_domain());
                level = std::max(level.value_or(asked.plan.shard), asked.plan.shard);
                nodes = std::max(nodes.value_or(here), here);
            }
        } catch (const InputError&) {
            continue;  // as errors_by_group, which says why
        }
    }
    framework.fitted_level = level;
    framework.fitted_expert_nodes = nodes;
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

}  // namespace

void fit_frameworks(const FrameworkFitOptions& options) {
    const fs::path data(options.data);
    const files::Library library{data};
    const files::RunConventions own = files::load_run_conventions(options.conventions, files::command_line());
    const files::RunConventions conventions = files::combined(own, library.run_conventions());
    const std::vector<files::MeasuredRun> all = files::load_runs(options.runs, files::command_line());
    validate::Questions questions(library, {}, own);
    std::map<std::string, GroupError> all_held_out;
    for (const std::string& reference : frameworks_of(conventions, options.frameworks)) {
        const plan::Framework start = library.framework(reference);
        const std::vector<files::MeasuredRun> runs = of_framework(all, conventions, start);
        if (runs.empty()) {
            continue;
        }
        fmt::print("{}: {} runs\n", start.name, runs.size());
        const auto before = errors_by_group(runs, questions, start);
        FrameworkFit fitted{.framework = start};
        const bool fits = options.write || options.held_out.empty();
        if (fits) {
            fitted = fit(runs, questions, start, [&](const std::string& line) {
                if (options.verbose) {
                    fmt::print("{}\n", line);
                    std::fflush(stdout);
                }
            });
        }
        print(fitted.framework);
        const auto after = errors_by_group(runs, questions, fitted.framework);
        std::map<std::string, GroupError> out;
        if (!options.held_out.empty()) {
            out = errors_held_out(runs, questions, fitted.framework);
        }
        for (const auto& [group, error] : out) {
            all_held_out[group].add(error);  // a group may have runs of several frameworks
        }
        fmt::print("    {:<26} {:>8} {:>8} {:>8}\n", "group", "before", "fitted", "held out");
        for (const auto& [group, error] : after) {
            fmt::print("    {:<26} {:8.2f} {:8.2f} {:>8}\n", group, 100 * before.at(group).mean, 100 * error.mean,
                       out.count(group) > 0 ? fmt::format("{:.2f}", 100 * out[group].mean) : "");
        }
        if (fits) {
            fmt::print("    mean {:.2f} %, spread {:.3f}\n", 100 * fitted.error, spread_of(fitted, out));
        }
        std::fflush(stdout);
        if (options.write) {
            fitted.framework.spread = spread_of(fitted, out);
            take_extent(fitted.framework, runs, questions);
            const fs::path file =
                files::is_path(reference) ? fs::path(reference) : data / library.framework_file(reference);
            const std::string schema = "yaml-language-server: $schema=" +
                                       fs::proximate(data / kFrameworkSchema, file.parent_path()).generic_string();
            write_whole(file.string(), files::to_yaml(fitted.framework, {.digits = 4, .comments = {schema}}));
        }
        questions.replace(fitted.framework);
    }
    if (!options.held_out.empty()) {
        std::map<std::string, double> means;
        for (const auto& [group, error] : all_held_out) {
            means[group] = error.mean;
        }
        write_left_out(options.held_out, means);
    }
}

}  // namespace dodona::calibrate
