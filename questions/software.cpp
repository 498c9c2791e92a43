#include "questions/software.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/diagnostic.hpp"
#include "base/ranges.hpp"
#include "plan/recompute.hpp"
#include "plan/usual_framework.hpp"

namespace dodona::questions {

namespace {

/// As the user's, and with the machine's interference where it says nothing of it.
plan::Framework on_machine(plan::Framework framework, const Workload& workload) {
    add_other_source(framework, workload);
    plan::Framework::Number& interference = framework.number(plan::FrameworkParameter::interference);
    if (interference.source.empty() && workload.cluster.interference) {
        const double lost = workload.cluster.interference->lost;
        interference = {
            .value = lost, .lo = lost, .hi = lost, .bounds = {}, .source = workload.cluster.interference->source};
    }
    return framework;
}

/// "pytorch-fsdp+graphs" for "torchtitan+graphs".
std::string others_name(const plan::Framework& framework, const std::string& name) {
    return framework.otherwise + name.substr(plan::framework_reference(name).framework.size());
}

plan::Framework named_framework(const SoftwareOptions& options, const std::string& name, const Workload& workload) {
    return on_machine(workload.files.framework(name, options.where.source ? options.where : files::command_line()),
                      workload);
}

/// ... or the one whose times the strategy has in the same program.
plan::Framework named_framework(const SoftwareOptions& options, const std::string& name, const Workload& workload,
                                const plan::Strategy& strategy) {
    plan::Framework framework = named_framework(options, name, workload);
    return framework.is_timed_otherwise(strategy) ? named_framework(options, others_name(framework, name), workload)
                                                  : framework;
}

/// Whether a framework can run a strategy; nothing is known of strategies that are not built in.
bool can_run(const plan::Framework& framework, const plan::Strategy& strategy, const Workload& workload) {
    const std::vector<std::string> built_in = workload.files.strategies();
    return std::find(built_in.begin(), built_in.end(), strategy.name) == built_in.end() || framework.can_run(strategy);
}

/// The defaults for the strategies of one question.
class UsualSoftware {
public:
    UsualSoftware(const SoftwareOptions& options, const Workload& workload)
        : workload_(workload), all_(plan::released_by(workload.files.all_frameworks(), options.date)) {}

    /// The built-in framework that is usual; else the neutral one. `strategy`: null for several.
    [[nodiscard]] plan::Framework of(const plan::Strategy* strategy, const plan::Offload& offload) const {
        const plan::Framework* usual =
            plan::usual_framework(all_, workload_.graph, strategy, workload_.cluster, offload);
        return on_machine(usual != nullptr ? *usual : plan::Framework{}, workload_);
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
            return {{whole, memory_of(whole, workload_.files), std::nullopt}};
        }
        std::stable_partition(found.begin(), found.end(),
                              [&](const search::Software& software) { return software.framework.name == whole.name; });
        return found;
    }

private:
    void add(std::vector<search::Software>& all, const plan::Strategy& strategy, plan::Framework framework) const {
        auto its =
            find_if(all, [&](const search::Software& software) { return software.framework.name == framework.name; });
        if (its == all.end()) {
            plan::MemoryProfile memory = memory_of(framework, workload_.files);
            its = all.insert(all.end(), {std::move(framework), std::move(memory), std::vector<std::string>{}});
        }
        if (!its->runs(strategy)) {
            its->strategies->push_back(strategy.name);
        }
    }

    const Workload& workload_;
    std::vector<plan::Framework> all_;
};

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

/// The mechanism of an addition; empty: software was named, or nothing.
std::string added_to_default(const SoftwareOptions& options) {
    return !options.names.empty() && is_addition(options.names.front()) ? join(options.names, ",") : "";
}

void set_recompute_modules(const graph::Graph& graph, search::Space& space) {
    for (search::Software& software : space.software) {
        software.recompute_modules = plan::modules_together(graph, software.memory);
    }
}

search::Space in_default_software(const SoftwareOptions& options, const Workload& workload, search::Space space,
                                  bool named) {
    const UsualSoftware usual(options, workload);
    const auto none_runs = [&](const plan::Strategy& strategy) { return !usual.runs(strategy, space.offload); };
    if (!named && !space.vary.unusual && !std::all_of(space.strategies.begin(), space.strategies.end(), none_runs)) {
        std::erase_if(space.strategies, none_runs);
    }
    space.software = usual.of(space);
    if (const std::string added = added_to_default(options); !added.empty()) {
        for (search::Software& software : space.software) {
            software.framework = named_framework(options, software.framework.name + added, workload);
            software.memory = memory_of(software.framework, workload.files);
        }
    }
    set_recompute_modules(workload.graph, space);
    return space;
}

/// The names that are typed, each after that of the framework whose times some of its strategies have: that was fitted to
/// them, and stands first.
std::vector<std::string> with_others(const SoftwareOptions& options, const Workload& workload) {
    std::vector<std::string> names;
    for (const std::string& name : options.names) {
        const plan::Framework framework = named_framework(options, name, workload);
        const std::string others = others_name(framework, name);
        if (!framework.otherwise.empty() && !contains(options.names, others)) {
            names.push_back(others);
        }
        names.push_back(name);
    }
    return names;
}

/// Why a search cannot take this software; none: it can.
std::optional<Fault> refusal(const plan::Framework& framework, const Workload& workload, const search::Space& space,
                             const std::vector<std::string>& its) {
    if (!framework.can_offload(space.offload)) {
        return Fault{"software",
                     fmt::format("{} cannot keep {} in host memory", framework.name,
                                 fmt::join(plan::words(framework.cannot_offload), " or ")),
                     {}};
    }
    if (!framework.can_run(workload.graph.post_training.tasks)) {
        return Fault{"software", cannot_run_text(framework, workload.graph), {}};
    }
    if (its.empty()) {
        return Fault{"software", fmt::format("{} cannot run {}", framework.name, space.strategies.front().name),
                     runs_text(framework)};
    }
    return std::nullopt;
}

}  // namespace

bool is_addition(const std::string& name) { return name.starts_with('+'); }

PlanSoftware software_of(const SoftwareOptions& options, const Workload& workload, const plan::Plan& plan) {
    const plan::Strategy sharded = plan.sharded_strategy();
    const std::string added = added_to_default(options);
    const bool is_named = !options.names.empty() && added.empty();
    PlanSoftware found{.framework = is_named ? named_framework(options, options.names.front(), workload, sharded)
                                             : UsualSoftware(options, workload).of(&sharded, plan.offload),
                       .notes = {}};
    plan::Framework& framework = found.framework;
    if (!added.empty()) {
        framework = named_framework(options, framework.name + added, workload);
    }
    if (!can_run(framework, sharded, workload)) {
        const bool by_level = can_run(framework, plan.strategy, workload);
        found.notes.push_back(
            fmt::format("{} cannot run {}{}: it is predicted as if it could ({})", framework.name, plan.strategy.name,
                        by_level ? fmt::format(" with {} sharded", name(plan.shard)) : "", runs_text(framework)));
    }
    if (!framework.can_run(workload.graph.post_training.tasks)) {
        found.notes.push_back(cannot_run_text(framework, workload.graph) + "; it is predicted as if it could");
    }
    if (!framework.can_offload(plan.offload)) {
        found.notes.push_back(fmt::format("{} cannot keep {} in host memory: it is predicted as if it could",
                                          framework.name, fmt::join(plan::words(framework.cannot_offload), " or ")));
    }
    return found;
}

Asked<search::Space> in_software(const SoftwareOptions& options, const Workload& workload, search::Space space,
                                 bool named) {
    if (options.names.empty() || !added_to_default(options).empty()) {
        return in_default_software(options, workload, std::move(space), named);
    }
    std::vector<search::Software> all;
    const auto is_known = [&](const plan::Framework& framework) {
        return std::any_of(all.begin(), all.end(),
                           [&](const search::Software& other) { return other.framework.label() == framework.label(); });
    };
    const std::vector<std::string> names = with_others(options, workload);
    const bool has_others = names.size() > options.names.size();
    for (std::size_t i = 0; i < names.size(); ++i) {
        plan::Framework framework = named_framework(options, names[i], workload);
        if (is_known(framework)) {
            return Faults{{"software", fmt::format("{} is named twice", framework.label()), {}}};
        }
        auto its = mapped_where<std::string>(
            space.strategies, [&](const plan::Strategy& strategy) { return can_run(framework, strategy, workload); },
            &plan::Strategy::name);
        if (auto fault = refusal(framework, workload, space, its)) {
            if (has_others && (i + 1 < names.size() || !all.empty())) {
                continue;
            }
            return Faults{std::move(*fault)};
        }
        plan::MemoryProfile memory = memory_of(framework, workload.files);
        all.push_back({std::move(framework), std::move(memory), std::move(its)});
    }
    const auto none_runs = [&](const plan::Strategy& strategy) {
        return none_of(all, [&](const search::Software& software) { return software.runs(strategy); });
    };
    const auto left_out = std::find_if(space.strategies.begin(), space.strategies.end(), none_runs);
    if (named && left_out != space.strategies.end()) {
        return Faults{{"software", fmt::format("{} cannot run {}", join(options.names, ","), left_out->name),
                       runs_text(all.front().framework)}};
    }
    std::erase_if(space.strategies, none_runs);
    if (all.size() == 1) {
        all.front().strategies.reset();
    }
    space.software = std::move(all);
    set_recompute_modules(workload.graph, space);
    return space;
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

void add_other_source(plan::Framework& framework, const Workload& workload) {
    if (!framework.fitted_to.empty() && !framework.observed) {
        framework.add_distance(workload.files.mechanism(plan::distance(framework, workload.cluster.device.maker())),
                               workload.files.mechanism(plan::kUnfamiliar));
    }
}

plan::MemoryProfile memory_of(const plan::Framework& framework, const files::Library& files) {
    plan::MemoryProfile memory =
        framework.memory.empty() ? plan::MemoryProfile{} : files.memory_profile(framework.memory);
    memory.prepend(framework.rules);
    return memory;
}

}  // namespace dodona::questions
