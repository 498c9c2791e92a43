#include "reports/collect/execution_trace.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/ranges.hpp"
#include "cluster/group_members.hpp"

namespace dodona::reports {

namespace {

std::vector<std::uint64_t> ids(const std::vector<std::size_t>& places, const std::vector<char>& is_there) {
    auto found = mapped_where<std::uint64_t>(
        places, [&](const std::size_t place) { return is_there[place] != 0; },
        [](const std::size_t place) { return place + 1; });
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

/// The member `offset` away; none beyond an end.
std::optional<std::int64_t> neighbour(const cluster::Group& group, std::int64_t rank, const StageOperation& operation) {
    const std::int64_t n = group.size();
    const std::int64_t index = cluster::member_index(group, rank) + operation.offset;
    if (!operation.wraps && (index < 0 || index >= n)) {
        return std::nullopt;
    }
    return cluster::member(group, rank, (index + n) % n);
}

bool is_point_to_point(TraceNodeKind kind) { return kind == TraceNodeKind::send || kind == TraceNodeKind::receive; }

}  // namespace

ExecutionTrace::ExecutionTrace(const play::SimulatedStep& step, const play::StepCommunication& communication)
    : communication_(communication), ranks_(communication.ranks), stages_(operations_by_stage(step, communication)) {
    for (std::int64_t rank = 0; rank < ranks_; ++rank) {
        for (const GroupOfStage& kind : stages_[static_cast<std::size_t>(communication_.stage_of(rank))].groups) {
            numbers_.emplace(members(kind, rank), static_cast<std::int64_t>(numbers_.size()) + 1);
        }
    }
}

std::vector<std::int64_t> ExecutionTrace::members(const GroupOfStage& kind, std::int64_t rank) const {
    std::vector<std::int64_t> all = cluster::members(kind.group, rank);
    if (kind.partner >= 0) {
        all = {communication_.counterpart(rank, kind.stage), communication_.counterpart(rank, kind.partner)};
    }
    std::sort(all.begin(), all.end());
    return all;
}

std::int64_t ExecutionTrace::nodes(std::int64_t ranks) const {
    std::int64_t sum = 0;
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
        sum += static_cast<std::int64_t>(
            stages_[static_cast<std::size_t>(communication_.stage_of(rank))].operations.size());
    }
    return sum;
}

std::vector<TraceNode> ExecutionTrace::of_rank(std::int64_t rank) const {
    const StageOperations& stage = stages_[static_cast<std::size_t>(communication_.stage_of(rank))];
    const auto numbers =
        mapped<std::int64_t>(stage.groups, [&](const GroupOfStage& kind) { return numbers_.at(members(kind, rank)); });
    std::vector<TraceNode> nodes;
    std::vector<char> is_there(stage.operations.size(), 0);
    for (std::size_t i = 0; i < stage.operations.size(); ++i) {
        const StageOperation& operation = stage.operations[i];
        TraceNode node{.id = i + 1,
                       .name = operation.name,
                       .kind = operation.kind,
                       .start = operation.start,
                       .duration = operation.duration,
                       .data = ids(operation.data, is_there),
                       .order = ids(operation.order, is_there),
                       .size = operation.size,
                       .tag = operation.tag};
        if (is_point_to_point(operation.kind)) {
            const auto peer = operation.offset == 0 ? std::optional(communication_.counterpart(rank, operation.stage))
                                                    : neighbour(stage.groups[operation.group].group, rank, operation);
            if (!peer) {
                continue;
            }
            node.peer = *peer;
        } else if (operation.kind != TraceNodeKind::compute) {
            node.group = numbers[operation.group];
        }
        is_there[i] = 1;
        nodes.push_back(std::move(node));
    }
    return nodes;
}

std::vector<TraceGroup> ExecutionTrace::groups(std::int64_t ranks) const {
    std::vector<TraceGroup> all;
    for (const auto& [members, number] : numbers_) {
        if (members.front() < ranks) {
            all.push_back({number, members});
        }
    }
    std::sort(all.begin(), all.end(), [](const TraceGroup& a, const TraceGroup& b) { return a.number < b.number; });
    return all;
}

}  // namespace dodona::reports
