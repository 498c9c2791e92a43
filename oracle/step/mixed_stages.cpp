#include "step/mixed_stages.hpp"

#include <algorithm>
#include <map>

#include "base/ranges.hpp"
#include "step/schedule_timings.hpp"

namespace dodona::step {

namespace {

constexpr double kFavour = 1.25;

class MixedCuts {
public:
    MixedCuts(const std::vector<ReplicaGroup>& groups, const plan::Plan& plan, std::int64_t microbatches)
        : groups_(groups),
          plan_(plan),
          microbatches_(microbatches),
          graph_(*groups.front().on.front()->graph),
          stages_(groups.front().on.size()),
          parts_(stages_ * static_cast<std::size_t>(plan.virtual_stages)),
          pieces_(pieces_of(graph_, static_cast<std::int64_t>(parts_))) {}

    std::vector<std::vector<Stage>> run(MemoryLimits memory) const {
        std::vector<std::vector<Stage>> cuts;
        if (memory == MemoryLimits::respected && plan_.virtual_stages > 1) {
            return cuts;
        }
        Holds holds;
        std::vector<std::vector<std::size_t>> firsts;
        if (memory == MemoryLimits::respected) {
            firsts = first_that_fit();
            holds = [&firsts](std::size_t part, std::size_t first, std::size_t last) {
                return first >= firsts[part][last];
            };
        }
        std::vector<Times> all;
        for (const ReplicaGroup& group : groups_) {
            Times& times = all.emplace_back();
            append(times, group.on, [&](const CostedGraph* on) { return times_on(*on); });
        }
        std::vector<double> pace;
        for (const Times& times : all) {
            const std::vector<std::size_t> ends = cut_row(by_part(times), holds);
            if (ends.empty()) {
                return cuts;
            }
            pace.push_back(slowest_part(by_part(times), ends).in(unit::second));
            add(ends, cuts);
        }
        // A cut that is good for one replica may be bad for another: times relative to each optimum, then with one
        // favoured.
        for (std::size_t favoured = 0; groups_.size() > 1 && favoured <= groups_.size(); ++favoured) {
            std::vector<double> paces = pace;
            if (favoured < groups_.size()) {
                paces[favoured] /= kFavour;
            }
            add(cut_row(by_part(slowest(all, paces)), holds), cuts);
        }
        if (groups_.size() > 1) {
            add(cut_row(by_part(slowest(all, std::vector<double>(groups_.size(), 1))), holds), cuts);
        }
        return cuts;
    }

private:
    using Times = std::vector<std::vector<Seconds>>;  ///< by stage and piece

    /// For each stage and piece the longest time over all groups, each in units of its `pace`.
    [[nodiscard]] Times slowest(const std::vector<Times>& all, const std::vector<double>& pace) const {
        Times slowest(stages_, std::vector<Seconds>(pieces_.size()));
        for (std::size_t k = 0; k < all.size(); ++k) {
            for (std::size_t s = 0; pace[k] > 0 && s < stages_; ++s) {
                std::transform(all[k][s].begin(), all[k][s].end(), slowest[s].begin(), slowest[s].begin(),
                               [&](Seconds a, Seconds b) { return max(a / pace[k], b); });
            }
        }
        return slowest;
    }

    /// By position, as the schedule places them.
    [[nodiscard]] Times by_part(const Times& by_stage) const {
        Times times;
        const schedule::Places places = plan_.places();
        for (std::size_t part = 0; part < parts_; ++part) {
            times.push_back(by_stage[static_cast<std::size_t>(places.stage(static_cast<std::int64_t>(part)))]);
        }
        return times;
    }

    [[nodiscard]] std::vector<Seconds> times_on(const CostedGraph& costed) const {
        std::vector<Seconds> times;
        for (const Piece& piece : pieces_) {
            std::vector<std::int64_t> counts(costed.segments.size(), 0);
            piece.add_to(counts, graph_);
            Seconds& time = times.emplace_back();
            for (std::size_t u = piece.segment; u <= piece.segment + piece.followed_by; ++u) {
                const SegmentPass pass = segment_pass(costed.segments[u], plan_);
                time += static_cast<double>(counts[u]) *
                        (pass.forward.total() + pass.backward.total() + pass.recompute.total()).value;
            }
        }
        return times;
    }

    [[nodiscard]] VirtualStage virtual_stage(std::size_t first, std::size_t last) const {
        VirtualStage virtual_stage{std::vector<std::int64_t>(graph_.segments.size(), 0)};
        for (std::size_t i = first; i < last; ++i) {
            pieces_[i].add_to(virtual_stage.counts, graph_);
        }
        return virtual_stage;
    }

    void add(const std::vector<std::size_t>& ends, std::vector<std::vector<Stage>>& cuts) const {
        std::vector<std::vector<std::int64_t>> parts;
        std::size_t first = 0;
        for (const std::size_t end : ends) {
            parts.push_back(virtual_stage(first, end).counts);
            first = end;
        }
        if (ends.empty()) {
            return;
        }
        if (std::vector<Stage> cut = placed(parts, plan_.places()); !contains(cuts, cut)) {
            cuts.push_back(std::move(cut));
        }
    }

    /// By stage and end: the first piece from which the pieces up to that end fit.
    [[nodiscard]] std::vector<std::vector<std::size_t>> first_that_fit() const {
        std::vector<std::vector<std::size_t>> firsts;
        std::map<std::vector<std::int64_t>, StageStates> known;
        for (std::size_t stage = 0; stage < stages_; ++stage) {
            const Bytes room = room_of(stage);
            std::vector<std::size_t>& of_stage = firsts.emplace_back(1, 0);
            for (std::size_t end = 1; end <= pieces_.size(); ++end) {
                std::size_t first = of_stage.back();
                while (first < end && needed(stage, {{virtual_stage(first, end)}}, known) > room) {
                    ++first;
                }
                of_stage.push_back(first);
            }
        }
        return firsts;
    }

    /// Memory of the stage's smallest device without its runtime context.
    [[nodiscard]] Bytes room_of(std::size_t stage) const {
        const auto room = [&](const ReplicaGroup& group) {
            return group.on[stage]->memory_limit() - group.on[stage]->context();
        };
        Bytes least = room(groups_.front());
        for (const ReplicaGroup& group : groups_) {
            least = min(least, room(group));
        }
        return least;
    }

    /// Memory need without the runtime context, which is the same on all devices.
    [[nodiscard]] Bytes needed(std::size_t index, const Stage& stage,
                               std::map<std::vector<std::int64_t>, StageStates>& known) const {
        const CostedGraph& on = *groups_.front().on[index];
        const std::vector<std::int64_t>& counts = stage.virtual_stages.front().counts;
        auto found = known.find(counts);
        if (found == known.end()) {
            found = known.emplace(counts, stage_states(on, plan_, stage, microbatches_)).first;
        }
        const KeptActivations kept = kept_activations(
            on, plan_, stage,
            orders_.in_flight(plan_.schedule, plan_.places(), static_cast<std::int64_t>(index), microbatches_),
            microbatches_);
        return stage_memory(on, plan_, stage, found->second, kept, stages_).total() - on.context();
    }

    const std::vector<ReplicaGroup>& groups_;
    const plan::Plan& plan_;
    std::int64_t microbatches_;
    const graph::Graph& graph_;
    std::size_t stages_;
    std::size_t parts_;
    std::vector<Piece> pieces_;
    mutable ScheduleTimings orders_;
};

}  // namespace

bool cuts_by_device(const std::vector<ReplicaGroup>& groups, const plan::Plan& plan) {
    return plan.stages.empty() && std::any_of(groups.begin(), groups.end(), [](const ReplicaGroup& group) {
               return any_of(group.on, [&](const CostedGraph* on) { return on != group.on.front(); });
           });
}

std::vector<std::vector<Stage>> mixed_cuts(const std::vector<ReplicaGroup>& groups, const plan::Plan& plan,
                                           std::int64_t microbatches, MemoryLimits memory) {
    return MixedCuts(groups, plan, microbatches).run(memory);
}

}  // namespace dodona::step
