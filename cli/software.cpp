#include "cli/software.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/files.hpp"
#include "cli/note.hpp"
#include "plan/usual_framework.hpp"

namespace dodona::cli {

namespace {

/// As the user's, and with the machine's interference where it says nothing of it.
plan::Framework on_machine(plan::Framework framework, const cluster::Cluster& cluster) {
    add_other_source(framework, cluster);
    plan::Framework::Number& interference = framework.number(plan::FrameworkParameter::interference);
    if (interference.source.empty() && cluster.interference) {
        const double lost = cluster.interference->lost;
        interference = {.value = lost, .lo = lost, .hi = lost, .bounds = {}, .source = cluster.interference->source};
    }
    return framework;
}

/// Those of the time that an option says.
std::vector<plan::Framework> released_frameworks(Arguments& arguments, const std::string& date,
                                                 const char* option = "--date") {
    constexpr std::string_view kDay = "0000-00-00";
    constexpr std::string_view kMonth = "0000-00";
    const auto has_form = [](char c, char form) {
        return form == '0' ? std::isdigit(static_cast<unsigned char>(c)) != 0 : c == form;
    };
    constexpr std::string_view kYear = "0000";
    const bool has_month = date.size() == kDay.size() || date.size() == kMonth.size();
    const bool is_date = (has_month || date.size() == kYear.size()) &&
                         std::equal(date.begin(), date.end(), kDay.begin(), has_form) &&
                         (!has_month || (date.substr(5, 2) >= "01" && date.substr(5, 2) <= "12"));
    if (!date.empty() && !is_date) {
        arguments.fault(option, fmt::format("\"{}\" is not a date", date), "for example 2025-06");
        return library().all_frameworks();
    }
    return plan::released_by(library().all_frameworks(), date);
}

/// What is usual for the strategies of one question: the files of frameworks are read once.
class UsualSoftware {
public:
    UsualSoftware(Arguments& arguments, const Workload& workload)
        : workload_(workload), all_(released_frameworks(arguments, arguments.text("--date").value_or(""))) {}

    /// The built-in framework that is usual; else the neutral one. `strategy`: null for several.
    [[nodiscard]] plan::Framework of(const plan::Strategy* strategy, const plan::Offload& offload) const {
        const plan::Framework* usual =
            plan::usual_framework(all_, workload_.graph, strategy, workload_.cluster, offload);
        return on_machine(usual != nullptr ? *usual : plan::Framework{}, workload_.cluster);
    }

    /// Whether that can run it.
    [[nodiscard]] bool runs(const plan::Strategy& strategy, const plan::Offload& offload) const {
        return plan::can_run(of(&strategy, offload), &strategy, offload);
    }

    /// Of each strategy; where offload varies, also what can keep in host memory what that cannot.
    [[nodiscard]] std::vector<search::Software> of(const search::Space& space) const {
        std::vector<search::Software> found;
        for (const plan::Strategy& strategy : space.strategies) {
            add(found, strategy, of(&strategy, space.offload));
            for (const plan::FlagName<plan::Offload>& kind : plan::kOffloadNames) {
                plan::Offload one;
                one.*kind.member = true;
                if (space.vary.offload && runs(strategy, one)) {
                    add(found, strategy, of(&strategy, one));
                }
            }
        }
        const plan::Framework whole = of(nullptr, space.offload);
        if (found.empty()) {
            return {{whole, memory_of(whole), std::nullopt}};
        }
        std::stable_partition(found.begin(), found.end(),
                              [&](const search::Software& software) { return software.framework.name == whole.name; });
        return found;
    }

private:
    static void add(std::vector<search::Software>& all, const plan::Strategy& strategy, plan::Framework framework) {
        auto its = std::find_if(all.begin(), all.end(), [&](const search::Software& software) {
            return software.framework.name == framework.name;
        });
        if (its == all.end()) {
            plan::MemoryProfile memory = memory_of(framework);
            its = all.insert(all.end(), {std::move(framework), std::move(memory), std::vector<std::string>{}});
        }
        if (!its->runs(strategy)) {
            its->strategies->push_back(strategy.name);
        }
    }

    const Workload& workload_;
    std::vector<plan::Framework> all_;
};

/// Name of the framework for "NAME@DATE+MECHANISM"; of a software of several versions the newest of DATE, or of --date,
/// that the device runs.
std::string resolved_framework(Arguments& arguments, const std::string& typed, const Workload& workload) {
    const std::string whole = plan::framework_reference(typed).framework;
    const std::string mechanisms = typed.substr(whole.size());
    const std::size_t at = files::is_path(whole) ? std::string::npos : whole.find('@');
    const std::string word = whole.substr(0, at);
    const char* option = at == std::string::npos ? "--date" : "--software";
    const std::string date = at == std::string::npos ? arguments.text("--date").value_or("") : whole.substr(at + 1);
    const auto resolved = library().resolve_alias(files::NameOf::framework, word);
    const std::string version_of = resolved ? library().framework(resolved->name).version_of : "";
    if (version_of.empty() && (at != std::string::npos || !date.empty())) {
        arguments.fault(option, fmt::format("{} has one version", word),
                        "name software that has several, such as megatron, or none");
    }
    if (version_of.empty()) {
        return taken_as(arguments, files::NameOf::framework, word) + mechanisms;
    }
    const std::vector<plan::Framework> released = released_frameworks(arguments, date, option);
    const plan::Framework* const version = plan::newest_version(released, version_of, workload.cluster.device);
    if (version == nullptr) {
        arguments.fault(option, fmt::format("no version of {} was released by then", version_of));
        return resolved->name + mechanisms;
    }
    if (!arguments.has("--quiet")) {
        note("{} is taken as {}{}", whole, version->name,
             version->version.empty() ? "" : fmt::format(" ({} and later)", version->version));
    }
    return version->name + mechanisms;
}

plan::Framework typed_framework(Arguments& arguments, const std::string& typed, const Workload& workload) {
    const Location where = arguments.place("--software");
    return on_machine(library().framework(typed, where.source ? where : files::command_line()), workload.cluster);
}

/// "+deepep": what is usual, with a mechanism more.
bool is_addition(const std::string& typed) { return typed.starts_with('+'); }

/// Whether a framework can run a strategy; nothing is known of strategies that are not built in.
bool can_run(const plan::Framework& framework, const plan::Strategy& strategy) {
    const std::vector<std::string> built_in = library().strategies();
    return std::find(built_in.begin(), built_in.end(), strategy.name) == built_in.end() || framework.can_run(strategy);
}

/// "transformers runs data, zero1, zero2".
std::string runs_text(const plan::Framework& framework) {
    return fmt::format(
        "{} runs {}{}", framework.name, fmt::join(framework.runs, ", "),
        framework.levels.empty() ? "" : fmt::format(", and shards {}", join(dodona::names_of(framework.levels))));
}

/// "megatron-2024 cannot run qlora: of post-training it runs sft, lora".
std::string cannot_run_text(const plan::Framework& framework, const graph::Graph& graph) {
    return fmt::format("{} cannot run {}: of post-training it runs {}", framework.name,
                       join(dodona::names_of(graph.post_training.tasks), "+"), join(dodona::names_of(framework.tasks)));
}

}  // namespace

plan::Framework framework_of(Arguments& arguments, const Workload& workload, const plan::Plan& plan) {
    const auto typed = arguments.text("--software");
    plan::Strategy sharded = plan.strategy;
    if (plan.shard != plan::ShardLevel::none) {
        sharded.shard = plan.shard;
    }
    if (typed && between_commas(*typed).size() > 1) {
        arguments.fault("--software", "one plan runs in one piece of software", "give one of them");
        return {};
    }
    const bool is_whole = typed && !is_addition(*typed);
    plan::Framework framework =
        is_whole ? typed_framework(arguments, resolved_framework(arguments, *typed, workload), workload)
                 : UsualSoftware(arguments, workload).of(&sharded, plan.offload);
    if (typed && !is_whole) {
        framework = typed_framework(arguments, framework.name + *typed, workload);
    }
    if (!can_run(framework, sharded)) {
        const bool by_level = can_run(framework, plan.strategy);
        note("{} cannot run {}{}: it is predicted as if it could ({})", framework.name, plan.strategy.name,
             by_level ? fmt::format(" with {} sharded", name(plan.shard)) : "", runs_text(framework));
    }
    if (!framework.can_run(workload.graph.post_training.tasks)) {
        note("{}; it is predicted as if it could", cannot_run_text(framework, workload.graph));
    }
    if (!framework.can_offload(plan.offload)) {
        note("{} cannot keep {} in host memory: it is predicted as if it could", framework.name,
             fmt::join(plan::words(framework.cannot_offload), " or "));
    }
    return framework;
}

void set_software(Arguments& arguments, const Workload& workload, search::Space& space, bool named) {
    const auto typed = arguments.text("--software");
    if (!typed || is_addition(*typed)) {
        const UsualSoftware usual(arguments, workload);
        const auto none_runs = [&](const plan::Strategy& strategy) { return !usual.runs(strategy, space.offload); };
        if (!named && !space.vary.unusual &&
            !std::all_of(space.strategies.begin(), space.strategies.end(), none_runs)) {
            std::erase_if(space.strategies, none_runs);
        }
        space.software = usual.of(space);
        for (search::Software& software : space.software) {
            if (typed) {
                software.framework = typed_framework(arguments, software.framework.name + *typed, workload);
                software.memory = memory_of(software.framework);
            }
        }
        return;
    }
    std::vector<search::Software> all;
    std::vector<plan::Strategy> run;  // by any of them
    for (const std::string& one : between_commas(*typed)) {
        plan::Framework framework = typed_framework(arguments, resolved_framework(arguments, one, workload), workload);
        if (std::any_of(all.begin(), all.end(),
                        [&](const search::Software& other) { return other.framework.label() == framework.label(); })) {
            arguments.fault("--software", fmt::format("{} is named twice", framework.label()));
            return;
        }
        if (!framework.can_offload(space.offload)) {
            arguments.fault("--software", fmt::format("{} cannot keep {} in host memory", framework.name,
                                                      fmt::join(plan::words(framework.cannot_offload), " or ")));
            return;
        }
        if (!framework.can_run(workload.graph.post_training.tasks)) {
            arguments.fault("--software", cannot_run_text(framework, workload.graph));
            return;
        }
        std::vector<std::string> its;
        for (const plan::Strategy& strategy : space.strategies) {
            if (can_run(framework, strategy)) {
                its.push_back(strategy.name);
            }
        }
        if (its.empty()) {
            arguments.fault("--software",
                            fmt::format("{} cannot run {}", framework.name, space.strategies.front().name),
                            runs_text(framework));
            return;
        }
        plan::MemoryProfile memory = memory_of(framework);
        all.push_back({std::move(framework), std::move(memory), std::move(its)});
    }
    for (const plan::Strategy& strategy : space.strategies) {
        const bool runs = std::any_of(all.begin(), all.end(),
                                      [&](const search::Software& software) { return software.runs(strategy); });
        if (!runs && named) {
            arguments.fault("--software", fmt::format("{} cannot run {}", *typed, strategy.name),
                            runs_text(all.front().framework));
            return;
        }
        if (runs) {
            run.push_back(strategy);
        }
    }
    if (all.size() == 1) {
        all.front().strategies.reset();
    }
    space.strategies = std::move(run);
    space.software = std::move(all);
}

bool is_observed(const search::Space& space) {
    return std::any_of(space.software.begin(), space.software.end(),
                       [](const search::Software& software) { return software.framework.observed.has_value(); });
}

const plan::Framework& framework_for(const search::Space& space, const plan::Strategy& strategy) {
    const auto runs = std::find_if(space.software.begin(), space.software.end(),
                                   [&](const search::Software& software) { return software.runs(strategy); });
    return (runs == space.software.end() ? space.software.front() : *runs).framework;
}

void add_other_source(plan::Framework& framework, const cluster::Cluster& cluster) {
    if (!framework.fitted_to.empty() && !framework.observed) {
        framework.add(library().mechanism(plan::distance(framework, cluster.device.maker())));
    }
}

plan::MemoryProfile memory_of(const plan::Framework& framework) {
    plan::MemoryProfile memory =
        framework.memory.empty() ? plan::MemoryProfile{} : library().memory_profile(framework.memory);
    memory.prepend(framework.rules);
    return memory;
}

}  // namespace dodona::cli
