// Samples that vary or were rejected: they say more of the machine's state than of what was timed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "calibrate/record/record.hpp"

namespace dodona::calibrate {

/// Spread of a case: between the quartiles of its samples, over their median.
class Steadiness {
public:
    void add(const Statistics& time);

    [[nodiscard]] std::size_t cases() const { return spreads_.size(); }
    [[nodiscard]] double spread() const;  ///< median of the cases; 0 without any
    [[nodiscard]] double worst_spread() const;
    /// Reasons to doubt the times, each in words; none: they are steady.
    [[nodiscard]] std::vector<std::string> doubts() const;

private:
    std::vector<double> spreads_;
    std::int64_t samples_ = 0;                      ///< that were kept
    std::map<std::string, std::int64_t> rejected_;  ///< why -> samples
};

}  // namespace dodona::calibrate
