#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "calibrate/imports/kineto.hpp"
#include "calibrate/imports/log_text.hpp"
#include "calibrate/imports/merge.hpp"

namespace dodona::calibrate {

namespace {

enum class Full { in, out };

struct Name {
    std::string_view name;        ///< in traces
    std::string_view collective;  ///< here
    Full full;                    ///< which of its counts is the full buffer
    bool in_place;
};

// Source: pytorch torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp, RECORD_PARAM_COMMS_DATA.
constexpr std::array kNames{
    Name{"allreduce", "all-reduce", Full::in, true},
    Name{"all_reduce", "all-reduce", Full::in, true},
    Name{"allreduce_coalesced", "all-reduce", Full::in, true},
    Name{"_allgather_base", "all-gather", Full::out, false},
    Name{"all_gather", "all-gather", Full::out, false},
    Name{"allgather", "all-gather", Full::out, false},
    Name{"all_gather_into_tensor", "all-gather", Full::out, false},
    Name{"allgather_into_tensor_coalesced", "all-gather", Full::out, false},
    Name{"_reduce_scatter_base", "reduce-scatter", Full::in, false},
    Name{"reduce_scatter", "reduce-scatter", Full::in, false},
    Name{"reduce_scatter_tensor", "reduce-scatter", Full::in, false},
    Name{"reduce_scatter_tensor_coalesced", "reduce-scatter", Full::in, false},
    Name{"all_to_all", "all-to-all", Full::in, false},
    Name{"all_to_allv", "all-to-all", Full::in, false},
    Name{"broadcast", "broadcast", Full::in, true},
    Name{"_broadcast_oop", "broadcast", Full::in, false},
};

/// Bytes of an element; 0 where the type is none of these. Names of c10::ScalarType, and since 2.6 of torch.dtype.
double bytes_of(std::string_view type) {
    constexpr std::array<std::pair<std::string_view, double>, 27> kTypes{{{"Float", 4},          {"float32", 4},
                                                                          {"float", 4},          {"Half", 2},
                                                                          {"float16", 2},        {"BFloat16", 2},
                                                                          {"bfloat16", 2},       {"Double", 8},
                                                                          {"float64", 8},        {"Int", 4},
                                                                          {"int32", 4},          {"Long", 8},
                                                                          {"int64", 8},          {"Short", 2},
                                                                          {"int16", 2},          {"Char", 1},
                                                                          {"int8", 1},           {"Byte", 1},
                                                                          {"uint8", 1},          {"Bool", 1},
                                                                          {"bool", 1},           {"Float8_e4m3fn", 1},
                                                                          {"float8_e4m3fn", 1},  {"Float8_e5m2", 1},
                                                                          {"float8_e5m2", 1},    {"Float8_e4m3fnuz", 1},
                                                                          {"Float8_e5m2fnuz", 1}}};
    const auto found = std::find_if(kTypes.begin(), kTypes.end(), [&](const auto& row) { return row.first == type; });
    return found == kTypes.end() ? 0 : found->second;
}

/// Ranks of a group in one node; 0 where that is not known or differs from node to node.
std::int64_t in_a_node(const KinetoCollective& group, std::int64_t devices) {
    const std::vector<std::int64_t> members = numbers_in(group.members);
    const bool whole =
        group.members.find("...") == std::string::npos && static_cast<std::int64_t>(members.size()) == group.ranks;
    if (devices <= 0) {
        return 0;
    }
    if (!whole) {
        return 0;
    }
    std::map<std::int64_t, std::int64_t> nodes;
    for (const std::int64_t rank : members) {
        ++nodes[rank / devices];
    }
    const bool even =
        std::all_of(nodes.begin(), nodes.end(), [&](const auto& node) { return node.second == nodes.begin()->second; });
    return even ? nodes.begin()->second : 0;
}

class Collectives {
public:
    Collectives(std::span<const KinetoTrace> traces, ImportBuilder& into) : traces_(traces), into_(into) {}

    void add_records() {
        for (const KinetoTrace& trace : traces_) {
            take(trace);
        }
        for (const auto& [of, instances] : instances_) {
            emit(of, instances);
        }
        const Location where = traces_.empty() ? Location{} : traces_.front().whole;
        for (const auto& [why, count] : left_out_) {
            into_.note(where, fmt::format("collectives are left out: {}, {}", count, why.first), why.second);
        }
    }

private:
    /// One collective of a group: its name and members, and its number.
    using Instance = std::pair<std::string, std::int64_t>;
    struct Ranks {
        double least = 0;  ///< us
        std::int64_t traces = 0;
    };

    void take(const KinetoTrace& trace) {
        std::map<std::string, std::int64_t> counted;
        for (const auto& communication : trace.communications) {
            const KinetoCollective& collective = trace.collectives[communication.collective];
            const std::string group = fmt::format("{}|{}|{}", collective.group, collective.members, collective.name);
            const std::int64_t number = counted[group]++;
            const auto of = case_of(trace, collective);
            if (!of) {
                continue;
            }
            const std::int64_t sequence = communication.sequence >= 0 ? communication.sequence : number;
            Ranks& ranks = instances_[*of][{group, sequence}];
            ranks.least = ranks.traces == 0 ? communication.kernel.us : std::min(ranks.least, communication.kernel.us);
            ++ranks.traces;
        }
    }

    void leave_out(std::string why, std::string help = {}) { ++left_out_[{std::move(why), std::move(help)}]; }

    std::optional<Case> case_of(const KinetoTrace& trace, const KinetoCollective& collective) {
        const auto name =
            std::find_if(kNames.begin(), kNames.end(), [&](const Name& n) { return n.name == collective.name; });
        if (name == kNames.end()) {
            leave_out(fmt::format("\"{}\" is none of all-reduce, all-gather, reduce-scatter, all-to-all, broadcast",
                                  collective.name));
            return std::nullopt;
        }
        const double bytes = (name->full == Full::in ? collective.in : collective.out) * bytes_of(collective.type);
        if (!(bytes > 0)) {
            leave_out(fmt::format("of no known size (type \"{}\")", collective.type));
            return std::nullopt;
        }
        const std::vector<std::int64_t> splits = numbers_in(collective.splits);
        if (std::adjacent_find(splits.begin(), splits.end(), std::not_equal_to<>()) != splits.end()) {
            leave_out("an all-to-all of uneven parts");
            return std::nullopt;
        }
        if (collective.ranks < 2) {
            leave_out("of groups of one rank");
            return std::nullopt;
        }
        const std::int64_t seen = trace.devices > 1 ? trace.devices : 0;
        const std::int64_t per_node = in_a_node(collective, into_.options().ranks_per_node.value_or(seen));
        if (per_node == 0) {
            leave_out("how many ranks of the group share a node is not known, or differs from node to node",
                      "say how many ranks a node has with --ranks-per-node");
            return std::nullopt;
        }
        return Case{.benchmark = "collective",
                    .parameters = {{"collective", std::string(name->collective)},
                                   {"bytes", bytes},
                                   {"ranks", static_cast<double>(collective.ranks)},
                                   {"ranks_per_node", static_cast<double>(per_node)},
                                   {"groups", 1.0},
                                   {"in_place", name->in_place ? 1.0 : 0.0},
                                   {"level", level_of(into_.options(), collective.ranks, per_node)}}};
    }

    void emit(const Case& of, const std::map<Instance, Ranks>& instances) {
        const auto ranks = static_cast<std::int64_t>(of.number("ranks"));
        std::vector<double> times;
        bool all_ranks = true;
        std::int64_t most = 0;
        for (const auto& [instance, seen] : instances) {
            times.push_back(seen.least / kMicrosPerSecond);
            all_ranks = all_ranks && seen.traces >= ranks;
            most = std::max(most, seen.traces);
        }
        into_.measurement({.of = of,
                           .time = statistics_of(std::move(times), all_ranks ? Estimator::median : Estimator::least),
                           .values = {{"traces", static_cast<double>(most)}}});
    }

    std::span<const KinetoTrace> traces_;
    ImportBuilder& into_;
    std::map<Case, std::map<Instance, Ranks>> instances_;
    std::map<std::pair<std::string, std::string>, std::int64_t> left_out_;
};

}  // namespace

void import_collectives(std::span<const KinetoTrace> traces, ImportBuilder& into) {
    Collectives(traces, into).add_records();
}

}  // namespace dodona::calibrate
