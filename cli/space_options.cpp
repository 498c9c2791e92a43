#include "cli/space_options.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "cli/files.hpp"
#include "cli/stage_cut.hpp"
#include "cli/words.hpp"
#include "cli/zero.hpp"
#include "files/number.hpp"
#include "reports/document/number_format.hpp"
#include "search/constraint.hpp"

namespace dodona::cli {

namespace {

constexpr std::int64_t kMaxThreads = 1024;

struct VaryChoice {
    const char* word;
    bool search::Vary::*member;
};
constexpr std::array kVaryChoices{
    VaryChoice{"placement", &search::Vary::placement}, VaryChoice{"group", &search::Vary::group},
    VaryChoice{"overlap", &search::Vary::overlap},     VaryChoice{"offload", &search::Vary::offload},
    VaryChoice{"schedule", &search::Vary::schedule},   VaryChoice{"unusual", &search::Vary::unusual}};

struct SettingName {
    std::string_view typed;
    search::PlanSetting setting;
};
constexpr std::array kSettingNames{SettingName{"micro-batch", search::PlanSetting::microbatch},
                                   SettingName{"virtual-stages", search::PlanSetting::virtual_stages},
                                   SettingName{"chunks", search::PlanSetting::virtual_stages},
                                   SettingName{"zero", search::PlanSetting::shard}};

/// "tensor", "8". A size of an axis that is called like a setting is about the axis.
search::ReadConstraint in_terms_of_search(const std::string& name, const std::string& value,
                                          const std::vector<plan::Strategy>& strategies) {
    const auto count = count_meant(value);
    const std::string number = count ? std::to_string(*count) : value;
    std::string axis = name;
    for (const plan::Strategy& strategy : strategies) {
        axis = axis_meant(axis, strategy);
    }
    search::ReadConstraint size = search::axis_constraint(axis, number, strategies);
    const auto setting = plan_setting_of(name);
    if (!setting || std::holds_alternative<search::Constraint>(size)) {
        return size;
    }
    const std::vector<std::string> levels = zero_choices();
    if (const auto level = choice_meant(value, levels); *setting == search::PlanSetting::shard && level) {
        return search::Constraint(zero_level(*level));
    }
    return search::setting_constraint(*setting, number);
}

/// A strategy's own name: fsdp -> zero3.
std::string strategy_meant(const std::string& typed) {
    const auto meant = library().resolve_alias(files::NameOf::strategy, typed);
    return meant ? meant->name : typed;
}

/// "tensor=8,recompute=full"; a name without a value where that means something.
std::vector<search::Constraint> constraints(Arguments& arguments, const std::string& option, const search::Space& space,
                                            bool names) {
    std::vector<search::Constraint> found;
    for (const std::string& typed : arguments.list(option)) {
        const auto sized = sized_axis(typed);
        const bool ends = typed.find('=') != std::string::npos && !sized;
        if (ends || (!sized && !names)) {
            arguments.fault(option, fmt::format("{} has no value", as_typed(typed)), "write it as tensor=8");
            continue;
        }
        const search::ReadConstraint read = sized
                                                ? in_terms_of_search(sized->first, sized->second, space.strategies)
                                                : search::strategy_constraint(strategy_meant(typed), space.strategies);
        if (const auto* fault = std::get_if<search::ConstraintFault>(&read)) {
            arguments.fault(option, fmt::format("{}: {}", as_typed(typed), fault->message),
                            "sizes of axes, or micro-batch, virtual-stages, recompute, zero, schedule");
            continue;
        }
        found.push_back(std::get<search::Constraint>(read));
    }
    return found;
}

/// "5%": a share of memory.
double reserve_of(Arguments& arguments) {
    const auto typed = arguments.text("--reserve");
    if (!typed) {
        return arguments.has("--max-memory") ? 0 : search::kUsualReserve;
    }
    const bool percent = typed->ends_with('%');
    const auto read = files::decimal_from(percent ? typed->substr(0, typed->size() - 1) : *typed);
    const auto* value = std::get_if<double>(&read);
    const bool good = value != nullptr && *value >= 0 && *value < 100 && (percent || *value == 0);
    if (!good) {
        arguments.fault("--reserve", fmt::format("{} is no share from 0% to 99%", as_typed(*typed)),
                        "for example 10%, or 0 to use all memory");
        return 0;
    }
    return *value / 100;
}

/// `others`: words that the caller knows.
void read_vary(Arguments& arguments, const cluster::Cluster& cluster, const std::vector<std::string>& others,
               search::Vary& vary) {
    for (const std::string& typed : arguments.list("--vary")) {
        if (std::find(others.begin(), others.end(), typed) != others.end()) {
            continue;
        }
        const auto* found = found_in(kVaryChoices, [&](const VaryChoice& known) { return typed == known.word; });
        if (found == nullptr) {
            arguments.fault("--vary", fmt::format("{} cannot be varied", as_typed(typed)),
                            "placement, group, overlap, offload, schedule or unusual" +
                                (others.empty() ? "" : "; for exchanges " + join(others)));
            continue;
        }
        vary.*(found->member) = true;
    }
    if (vary.offload && !cluster.host) {
        arguments.fault("--vary", fmt::format("{} does not say what hosts it has", cluster.name),
                        "offload needs `host:` with memory and bandwidth in the machine file");
    }
}

}  // namespace

std::optional<search::PlanSetting> plan_setting_of(const std::string& name) {
    const auto* known = found_in(kSettingNames, &SettingName::typed, name);
    if (known != nullptr) {
        return known->setting;
    }
    return means_virtual_stages(name) ? std::optional(search::PlanSetting::virtual_stages)
                                      : value_of<search::PlanSetting>(name);
}

std::vector<Option> space_options() {
    const std::string group = "Search";
    return {{"--max-memory", "SIZE",
             "that a plan may need of one device, such as 40GiB; default: all that it\n"
             "has but the reserve",
             group},
            {"--reserve", "PERCENT",
             "share of memory that plans leave free, since predictions of memory are\n"
             "off by a few percent; default: 5%, with --max-memory 0",
             group},
            {"--fixed", "NAME=N,...",
             "what plans must have: sizes of axes, micro-batch=, virtual-stages=,\n"
             "recompute=, zero=, schedule=",
             group},
            {"--exclude", "NAME=N,...", "what they must not have, likewise; or strategies by name", group},
            {"--vary", "A,B,...",
             "search more: placement (order of axes on the machine), group (ZeRO\n"
             "over fewer ranks), overlap, offload, schedule (all but gpipe,\n"
             "breadth-first and pipedream), unusual (strategies and sizes of axes where nobody runs them)",
             group},
            {"--cut", "fastest|balanced|software|N,N,...|LAYOUT",
             "how pipelines are cut: wherever a step is fastest, as even as possible,\n"
             "as the software does by itself, or so many layers on each stage;\n"
             "default: fastest",
             group},
            {"--exhaustive", "", "evaluate every plan one by one: slow, the same answer", group},
            {.names = "--threads",
             .value = "N",
             .description = "of the search; default: one on each core",
             .group = group,
             .old_name = "--workers"}};
}

namespace {

void read_cut(Arguments& arguments, const Workload& workload, search::Space& space) {
    AskedCut asked = read_cut(arguments);
    const std::int64_t blocks = workload.graph.block_count();
    const auto given = std::accumulate(asked.stages.begin(), asked.stages.end(), std::int64_t{0});
    const bool has_gap = asked.stages.size() > 2 &&
                         std::find(asked.stages.begin() + 1, asked.stages.end() - 1, 0) != asked.stages.end() - 1;
    if (!asked.stages.empty() && (given != blocks || has_gap)) {
        arguments.fault("--cut",
                        has_gap
                            ? "a part between the first and the last holds nothing"
                            : fmt::format("the parts hold {} blocks, {} has {}", given, workload.graph.name, blocks),
                        fmt::format("numbers must add up to {}", blocks));
    }
    space.cut = asked.cut.value_or(space.cut);
    space.stages = std::move(asked.stages);
}

/// A schedule that is asked for by name is searched.
void search_fixed_schedules(search::Space& space) {
    for (const search::Constraint& constraint : space.fixed) {
        if (const auto* kind = std::get_if<plan::ScheduleKind>(&constraint)) {
            const schedule::Traits& traits = plan::schedule_of(*kind).traits;
            space.vary.schedule = space.vary.schedule || traits.searched == schedule::Searched::on_request;
            space.vary.asynchronous = space.vary.asynchronous || !traits.flushes;
        }
    }
}

}  // namespace

void fix_kind(Arguments& arguments, const std::string& option, search::Space& space) {
    space.fixed = constraints(arguments, option, space, false);
    search_fixed_schedules(space);
}

void read_memory(Arguments& arguments, search::Space& space) {
    space.max_memory = arguments.size("--max-memory");
    space.reserve = reserve_of(arguments);
}

void check_memory(Arguments& arguments, const cluster::Cluster& cluster, const search::Space& space) {
    Bytes most;
    for (const cluster::DeviceKind& kind : cluster.device_kinds(cluster.devices())) {
        most = max(most, kind.device->memory);
    }
    if (space.max_memory && *space.max_memory > most) {
        arguments.fault("--max-memory",
                        fmt::format("{} are more than a GPU of {} has: {}", reports::text(*space.max_memory),
                                    cluster.name, reports::text(most)),
                        "--adjust memory=2 asks about GPUs with twice as much");
    }
    if (space.max_memory && space.offload.pages) {
        arguments.fault("--max-memory", "pages of unified memory fill a GPU's memory before any goes to the host",
                        "--adjust memory=0.5 asks about GPUs with half as much");
    }
}

void read_space(Arguments& arguments, const Workload& workload, search::Space& space,
                const std::vector<std::string>& also_vary) {
    space.fixed = constraints(arguments, "--fixed", space, false);
    search_fixed_schedules(space);
    space.excluded = constraints(arguments, "--exclude", space, true);
    read_cut(arguments, workload, space);
    space.exhaustive = arguments.has("--exhaustive");
    space.workers = static_cast<int>(arguments.count("--threads", kMaxThreads).value_or(0));
    read_vary(arguments, workload.cluster, also_vary, space.vary);
}

}  // namespace dodona::cli
