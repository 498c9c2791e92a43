#include "lengths/varied_step.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"

namespace dodona::lengths {

Seconds step_at(const std::vector<TimedLength>& timed, double length) {
    check(!timed.empty(), "a length was timed");
    if (timed.size() == 1) {
        return timed.front().step;
    }
    const auto above = std::lower_bound(timed.begin() + 1, timed.end() - 1, length,
                                        [](const TimedLength& one, double sought) { return one.length < sought; });
    const TimedLength& low = *(above - 1);
    return max(Seconds{}, low.step + ((length - low.length) / (above->length - low.length)) * (above->step - low.step));
}

VariedStep varied_step(const MicroBatches& drawn, const std::vector<TimedLength>& timed, const Job& job) {
    const auto k = static_cast<double>(job.micro_batches);
    const auto draws = static_cast<double>(drawn.draws);
    std::vector<Share> times;
    for (const Share& one : drawn.drawn.shares()) {
        times.push_back({step_at(timed, one.value).in(unit::second) / (k * draws), one.share});
    }
    const Distribution alone(std::move(times));
    const Distribution pass = alone.sum_of(drawn.draws).largest_of(job.together);
    const Distribution step = pass.sum_of(job.micro_batches);
    const double ranks = k * static_cast<double>(job.replicas) * static_cast<double>(job.together);
    return {.even = Seconds::of_base(k * draws * alone.mean()),
            .deviation = Seconds::of_base(step.deviation()),
            .slowest = Seconds::of_base(step.largest_of(job.replicas).mean()),
            .samples = ranks * drawn.samples,
            .tokens = ranks * drawn.tokens};
}

DrawnPasses::DrawnPasses(const MicroBatches& drawn, const std::vector<TimedLength>& timed, const Job& job)
    : rows_(drawn.draws), together_(job.together) {
    double sum = 0;
    for (const Share& one : drawn.drawn.shares()) {
        sum += one.share;
        sums_.push_back(sum);
        times_.push_back(step_at(timed, one.value));
    }
}

Seconds DrawnPasses::draw(simulate::Draws& draws) const {
    Seconds slowest;
    for (std::int64_t rank = 0; rank < together_; ++rank) {
        Seconds pass;
        for (std::int64_t row = 0; row < rows_; ++row) {
            const auto found = std::lower_bound(sums_.begin(), sums_.end() - 1, draws.uniform());
            pass += (1 / static_cast<double>(rows_)) * times_[static_cast<std::size_t>(found - sums_.begin())];
        }
        slowest = max(slowest, pass);
    }
    return slowest;
}

std::vector<std::int64_t> padded_lengths(const Distribution& drawn) {
    std::vector<std::int64_t> lengths;
    const bool all = drawn.shares().size() <= kMaxTimed;
    const std::size_t count = all ? drawn.shares().size() : kMaxTimed;
    for (std::size_t i = 0; i < count; ++i) {
        const double along = count > 1 ? static_cast<double>(i) / static_cast<double>(count - 1) : 0;
        const double length =
            all ? drawn.shares()[i].value : drawn.least() * std::pow(drawn.most() / drawn.least(), along);
        const auto rounded = std::max<std::int64_t>(1, std::llround(length));
        if (lengths.empty() || rounded > lengths.back()) {
            lengths.push_back(rounded);
        }
    }
    return lengths;
}

std::vector<std::int64_t> samples_in_row(const Distribution& drawn, std::int64_t row) {
    std::vector<std::int64_t> counts{1};
    for (std::int64_t count = 2; count <= row; ++count) {
        const bool reaches = static_cast<double>(row) / static_cast<double>(counts.back()) <= drawn.least();
        if (reaches || counts.size() == kMaxTimed) {
            break;
        }
        if (row % count == 0 && count >= 2 * counts.back()) {
            counts.push_back(count);
        }
    }
    return counts;
}

}  // namespace dodona::lengths
