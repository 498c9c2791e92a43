// Settings of workers and threads that were really run, beside what was predicted of them.
//
// Two settings are told apart where the quartiles of their times do not overlap. Of such pairs, the share that is
// predicted in the order in which it was measured is the ranking; a pair of equal predictions counts half.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "threads/prediction.hpp"

namespace dodona::threads {

struct MeasuredSetting {
    Setting setting;
    Seconds lower;  ///< quartile of its passes
    Seconds median;
    Seconds upper;  ///< quartile
};

struct Agreement {
    std::size_t pairs = 0;                     ///< that were measured and predicted
    std::size_t distinguished = 0;             ///< ... and differ by more than the noise
    double ranked = 0;                         ///< of those: share in the order that was predicted
    MeasuredSetting fastest;                   ///< of those measured
    std::optional<MeasuredSetting> guideline;  ///< none: it was not measured
    std::size_t others = 0;                    ///< settings beside the guideline
    std::size_t slower = 0;                    ///< ... whose median is above the guideline's
    std::size_t faster = 0;                    ///< ... that are faster by more than the noise
};

/// Lower quartiles, medians and upper quartiles of times, one or more.
MeasuredSetting measured_setting(const Setting& setting, std::vector<Seconds> times);

/// What was predicted of a setting; none where the grid of the prediction does not have it.
std::optional<Seconds> predicted(const Prediction& prediction, const Setting& setting);

/// `measured` is not empty.
Agreement agreement(const Prediction& prediction, const std::vector<MeasuredSetting>& measured);

}  // namespace dodona::threads
