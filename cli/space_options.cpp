#include "cli/space_options.hpp"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "search/filter.hpp"

namespace dodona::cli {

namespace {

constexpr std::int64_t kMostWorkers = 1024;

struct VaryWord {
    const char* word;
    bool search::Vary::*member;
};
constexpr std::array kVaryWords{VaryWord{"placement", &search::Vary::placement},
                                VaryWord{"group", &search::Vary::group}, VaryWord{"overlap", &search::Vary::overlap},
                                VaryWord{"offload", &search::Vary::offload}};

/// The name that is due for one that has changed, and is still read.
std::string present_name(const std::string& name) { return name == "chunks" ? "virtual_stages" : name; }

/// "tensor=8,recompute=full"; a name without a value where that means something.
std::vector<search::Constraint> constraints(Arguments& arguments, const std::string& option, const search::Space& space,
                                            bool names) {
    std::vector<search::Constraint> found;
    for (const std::string& typed : arguments.list(option)) {
        const std::size_t equals = typed.find('=');
        const search::Constraint constraint{present_name(typed.substr(0, equals)),
                                            equals == std::string::npos ? std::string{} : typed.substr(equals + 1)};
        if (equals != std::string::npos ? constraint.value.empty() : !names) {
            arguments.fault(option, fmt::format("{} has no value", as_typed(typed)), "write it as tensor=8");
            continue;
        }
        if (const std::string why = search::constraint_fault(constraint, space.strategies); !why.empty()) {
            arguments.fault(option, fmt::format("{}: {}", as_typed(typed), why),
                            fmt::format("sizes of axes, or {}", fmt::join(search::constraint_names(), ", ")));
            continue;
        }
        found.push_back(constraint);
    }
    return found;
}

void read_vary(Arguments& arguments, const cluster::Cluster& cluster, search::Vary& vary) {
    for (const std::string& typed : arguments.list("--vary")) {
        const auto found = std::find_if(kVaryWords.begin(), kVaryWords.end(),
                                        [&](const VaryWord& known) { return typed == known.word; });
        if (found == kVaryWords.end()) {
            arguments.fault("--vary", fmt::format("{} is nothing that varies", as_typed(typed)),
                            "placement, group, overlap or offload");
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

std::vector<Option> space_options() {
    const std::string group = "Search";
    return {{.names = "--max-memory",
             .value = "SIZE",
             .description = "of one device, such as 40GiB; default: all that it has",
             .group = group},
            {.names = "--fixed",
             .value = "NAME=N,...",
             .description =
                 fmt::format("what plans must have: sizes of axes, {}=", fmt::join(search::constraint_names(), "=, ")),
             .group = group},
            {.names = "--exclude",
             .value = "NAME=N,...",
             .description = "what they must not have, in the same words; or strategies by name",
             .group = group},
            {.names = "--vary",
             .value = "A,B,...",
             .description = "look at more: placement (order of axes on the machine), group (states sharded over fewer "
                            "ranks), overlap, offload",
             .group = group},
            {.names = "--exhaustive",
             .description = "evaluate every plan one by one, without tables and bounds: slow, the same answer",
             .group = group},
            {.names = "--workers", .value = "N", .description = "threads; default: one on each core", .group = group}};
}

void read_space(Arguments& arguments, const cluster::Cluster& cluster, search::Space& space) {
    space.fixed = constraints(arguments, "--fixed", space, false);
    space.excluded = constraints(arguments, "--exclude", space, true);
    space.exhaustive = arguments.has("--exhaustive");
    space.workers = static_cast<int>(arguments.count("--workers", kMostWorkers).value_or(0));
    read_vary(arguments, cluster, space.vary);
}

}  // namespace dodona::cli
