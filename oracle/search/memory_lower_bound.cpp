#include "search/memory_lower_bound.hpp"

#include <algorithm>
#include <cmath>

#include "step/stage_memory.hpp"
#include "step/state_sharding.hpp"

namespace dodona::search {

namespace {

/// By how much sums in another order may differ.
constexpr double kSumRounding = 1e-9;

bool kept_in_proportion(Bytes a, std::int64_t of_a, Bytes b, std::int64_t of_b) {
    const double left = static_cast<double>(of_b) * a.in(unit::byte);
    const double right = static_cast<double>(of_a) * b.in(unit::byte);
    return std::abs(left - right) <= kSumRounding * std::max(left, right);
}

}  // namespace

std::vector<MemoryLowerBound::Piece> MemoryLowerBound::pieces(const plan::Plan& plan, double scale) const {
    std::vector<Piece> pieces;
    for (std::size_t u = 0; u < states_.segments.size(); ++u) {
        Piece piece{.count = states_.graph->segments[u].count, .states = {}, .kept = {}};
        for (const step::WeightClass& weight : states_.segments[u].weights) {
            if (!weight.tied) {
                const step::StateBytes bytes = step::state_bytes(states_.mesh, plan, weight.kind, weight.size);
                piece.states += bytes.weights + bytes.gradients + bytes.optimizer;
            }
        }
        piece.kept = (1 + plan.fragmentation()) * scale * step::least_kept(passes_.segments[u], plan);
        pieces.push_back(piece);
    }
    return pieces;
}

const MemoryLowerBound::InFlight& MemoryLowerBound::in_flight(const plan::Plan& plan, std::int64_t microbatches) {
    if (in_flight_ && in_flight_->schedule == plan.schedule && in_flight_->microbatches == microbatches) {
        return *in_flight_;
    }
    in_flight_ = InFlight{.schedule = plan.schedule, .microbatches = microbatches, .of_stage = {}};
    for (std::int64_t stage = 0; stage < plan.pipeline_stages(); ++stage) {
        std::int64_t most = 0;
        for (const schedule::Holding& held : orders_.in_flight(plan.schedule, plan.places(), stage, microbatches)) {
            most = std::max(most, held.whole.front());
        }
        in_flight_->of_stage.push_back(static_cast<double>(most));
    }
    return *in_flight_;
}

bool MemoryLowerBound::may_fit(const plan::Plan& plan, std::int64_t microbatches, double scale, Bytes limit) {
    const std::vector<Piece> pieces = this->pieces(plan, scale);
    const Bytes room = (1 + kSumRounding) * (limit - states_.context());
    std::size_t next = 0;
    std::int64_t placed = 0;  // instances of the next piece's segment that earlier stages hold
    for (const double held : in_flight(plan, microbatches).of_stage) {
        Bytes left = room;
        while (next < pieces.size()) {
            const Piece& piece = pieces[next];
            const Bytes one = piece.states + held * piece.kept;
            const auto remaining = static_cast<double>(piece.count - placed);
            const double taken = one > Bytes{} ? std::clamp(std::floor(left / one), 0.0, remaining) : remaining;
            left = left - taken * one;
            placed += static_cast<std::int64_t>(taken);
            if (placed < piece.count) {
                break;
            }
            ++next;
            placed = 0;
        }
    }
    return next == pieces.size();
}

bool keeps_in_proportion(const step::CostedGraph& a, std::int64_t microbatch_a, const step::CostedGraph& b,
                         std::int64_t microbatch_b) {
    for (std::size_t u = 0; u < a.segments.size(); ++u) {
        const step::SegmentCost& one = a.segments[u];
        const step::SegmentCost& other = b.segments[u];
        const auto proportionally = [&](const step::SegmentMemory& x, const step::SegmentMemory& y) {
            return kept_in_proportion(x.saved, microbatch_a, y.saved, microbatch_b) &&
                   kept_in_proportion(x.dropped, microbatch_a, y.dropped, microbatch_b) &&
                   kept_in_proportion(x.recompute_inputs, microbatch_a, y.recompute_inputs, microbatch_b);
        };
        const bool proportional = proportionally(one.memory, other.memory) &&
                                  proportionally(one.memory_of_named, other.memory_of_named) &&
                                  kept_in_proportion(one.checkpoint(), microbatch_a, other.checkpoint(), microbatch_b);
        if (!proportional) {
            return false;
        }
    }
    return true;
}

}  // namespace dodona::search
