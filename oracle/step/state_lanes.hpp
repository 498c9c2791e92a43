// The exchange of states in a step: what of it hides behind the passes.
//
// Written once over a number type: Seconds for the search, cost::DualTime for times with their derivatives by source of error.
#pragma once

#include <array>
#include <cstdint>

#include "cost/dual_time.hpp"
#include "plan/plan.hpp"
#include "step/state_sharding.hpp"

namespace dodona::step {

/// What transfers of states run beside. Transfers of one lane add up.
enum class StateLane {
    gathered_once,   ///< parameters, with the first forward pass
    gathered,        ///< ... with every forward pass
    gathered_again,  ///< ... with every backward pass
    reduced_once,    ///< gradients, with the last backward pass
    reduced,         ///< ... with every backward pass
};
StateLane lane_of(const StateTransfer& transfer);

/// Times by lane.
template <class Number>
struct StateLanes {
    std::array<Number, 5> times{};

    Number& operator[](StateLane lane) { return times[static_cast<std::size_t>(lane)]; }
    const Number& operator[](StateLane lane) const { return times[static_cast<std::size_t>(lane)]; }
    [[nodiscard]] Number parameters(std::int64_t microbatches) const {
        return (*this)[StateLane::gathered_once] +
               static_cast<double>(microbatches) * ((*this)[StateLane::gathered] + (*this)[StateLane::gathered_again]);
    }
    [[nodiscard]] Number gradients(std::int64_t microbatches) const {
        return (*this)[StateLane::reduced_once] + static_cast<double>(microbatches) * (*this)[StateLane::reduced];
    }
    StateLanes& operator+=(const StateLanes& other) {
        for (std::size_t i = 0; i < times.size(); ++i) {
            times[i] += other.times[i];
        }
        return *this;
    }
};

/// Exposed time of a transfer t beside compute w where a share s of it has nothing left to hide behind:
/// max(s t, t - (1 - s) w). Without overlap all of it is exposed.
template <class Number>
Number exposed(const Number& transfer, const Number& window, double alone, bool overlapped) {
    if (!overlapped) {
        return transfer;
    }
    return cost::longer(alone * transfer, transfer - (1.0 - alone) * window);
}

/// Time of kernels, and of waits for the host and its copies, that transfers may hide behind.
template <class Number>
struct StateWindows {
    Number forward;   ///< of a forward pass
    Number backward;  ///< of a backward pass with recomputation
};

/// Exposed time of the lanes of one stage. Gathers for backward and reductions share the backward window; gathers come
/// first.
template <class Number>
struct ExposedLanes {
    Number gradients;
    Number parameters;
    Number interference;  ///< compute lost to what is hidden

    ExposedLanes(const StateLanes<Number>& lanes, const StateWindows<Number>& windows, const plan::Plan& plan,
                 std::int64_t microbatches, const AloneShares& alone) {
        const double m = static_cast<double>(microbatches);
        const auto gather = [&](StateLane lane, const Number& window, double share) {
            return exposed(lanes[lane], window, share, plan.overlap.parameters);
        };
        const Number again = gather(StateLane::gathered_again, windows.backward, alone.gathered_again);
        parameters = gather(StateLane::gathered_once, windows.forward, alone.gathered) +
                     m * (gather(StateLane::gathered, windows.forward, alone.gathered) + again);
        const Number left = cost::longer(Number{}, windows.backward - (lanes[StateLane::gathered_again] - again));
        const auto reduce = [&](StateLane lane) {
            return exposed(lanes[lane], left, alone.reduced, plan.overlap.gradients);
        };
        gradients = m * reduce(StateLane::reduced) + reduce(StateLane::reduced_once);
        const Number busy = lanes.gradients(microbatches) + lanes.parameters(microbatches);
        const Number hidden = cost::longer(Number{}, busy - gradients - parameters);
        interference = cost::by_parameter(plan.framework[plan::FrameworkParameter::interference], hidden,
                                          cost::ErrorSource::interference);
    }
};

}  // namespace dodona::step
