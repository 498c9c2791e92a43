#include "step/sample_cache.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "step/input_time.hpp"

namespace dodona::step {

namespace {

Bytes kept_bytes(const SampleCacheQuestion& question, std::size_t tier) {
    return question.tiers[tier].decoded ? question.tensors : question.sample;
}

/// One sample, to one of the nodes while all read.
Seconds sample_time(const SampleCacheQuestion& question, std::size_t tier) {
    const cluster::SampleTier& one = question.tiers[tier];
    BytesPerSecond bandwidth = one.bandwidth;
    if (one.system) {
        bandwidth = min(bandwidth, (1 / static_cast<double>(question.nodes)) * *one.system);
    }
    return kept_bytes(question, tier) / bandwidth;
}

/// The tiers that are worth reading from: each faster than those before it.
std::vector<std::size_t> useful_tiers(const SampleCacheQuestion& question) {
    std::vector<std::size_t> useful;
    for (std::size_t tier = 0; tier < question.tiers.size(); ++tier) {
        if (useful.empty() || sample_time(question, tier) < sample_time(question, useful.back())) {
            useful.push_back(tier);
        }
    }
    return useful;
}

/// What a tier has room for, over a node's part of the data set; 1 or more if all fits.
double room_share(const SampleCacheQuestion& question, std::size_t tier) {
    const auto& memory = question.tiers[tier].memory;
    const Bytes part = question.samples / static_cast<double>(question.nodes) * kept_bytes(question, tier);
    return memory && tier > 0 ? *memory / part : 1;
}

/// What is read of each tier while so many of the useful ones are filled, slowest first.
std::vector<TierUse> uses(const SampleCacheQuestion& question, const std::vector<std::size_t>& filled) {
    const double samples = static_cast<double>(question.batch) / static_cast<double>(question.nodes);
    std::vector<TierUse> uses;
    double left = 1;
    for (std::size_t i = filled.size(); i-- > 0 && left > 0;) {
        const double share = std::min(left, room_share(question, filled[i]));
        uses.insert(uses.begin(), {filled[i], share, share * samples * sample_time(question, filled[i])});
        left -= share;
    }
    return uses;
}

EpochInput epoch_input(const SampleCacheQuestion& question, const std::vector<std::size_t>& filled) {
    EpochInput epoch{.tiers = uses(question, filled)};
    double stored = 0;
    for (const TierUse& use : epoch.tiers) {
        epoch.reading = max(epoch.reading, use.reading);
        stored += question.tiers[use.tier].decoded ? 0 : use.share;
    }
    epoch.decoding = stored * question.input.decoding;
    InputCosts input = question.input;
    input.reading = epoch.reading;
    input.decoding = epoch.decoding;
    epoch.exposed = exposed_input(input, question.step);
    epoch.step = question.step + epoch.exposed;
    epoch.steps = question.samples / static_cast<double>(question.batch);
    epoch.time = epoch.steps * epoch.step;
    return epoch;
}

}  // namespace

std::vector<EpochInput> epoch_inputs(const SampleCacheQuestion& question) {
    check(!question.tiers.empty() && question.samples > 0, "samples are somewhere");
    const std::vector<std::size_t> useful = useful_tiers(question);
    std::vector<EpochInput> epochs;
    for (std::int64_t epoch = 1; epoch <= question.epochs; ++epoch) {
        const std::size_t filled = std::min(useful.size(), static_cast<std::size_t>(epoch));
        epochs.push_back(epoch_input(question, {useful.begin(), useful.begin() + static_cast<std::ptrdiff_t>(filled)}));
    }
    return epochs;
}

}  // namespace dodona::step
