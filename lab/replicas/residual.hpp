// What compression did not send, and the account that shows that nothing is lost: for each element
//
//   sum of payloads = sum of what was sent + residual          with error feedback
//
// Without error feedback the residual is dropped after each exchange, and the account says how much that was.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lab/replicas/messenger.hpp"

namespace dodona::calibrate {

class Residual {
public:
    Residual() = default;
    Residual(std::size_t elements, bool feedback)
        : feedback_(feedback), left_(elements, 0.0F), brought_(elements, 0.0), sent_(elements, 0.0) {}

    /// Adds what is left of before to the values, and enters them in the account.
    void add_to(std::span<float> values, Part range);
    /// `values` with what was left added; `sent`: what the others got of them.
    void keep(std::span<const float> values, std::span<const float> sent, Part range);
    /// What a merge of two workers' elements drops stays with who merged.
    void keep_dropped(std::size_t element, float value);
    void count_sent(std::size_t elements);

    /// Largest |brought - sent - left| over the largest |brought|; 0 where nothing was brought.
    [[nodiscard]] double imbalance() const;
    /// Largest |brought - sent| over the largest |brought|.
    [[nodiscard]] double unsent() const;
    [[nodiscard]] const std::vector<double>& sent() const { return sent_; }
    [[nodiscard]] std::uint64_t least_kept() const { return least_kept_; }
    [[nodiscard]] std::uint64_t most_kept() const { return most_kept_; }

private:
    bool feedback_ = false;
    std::vector<float> left_;
    std::vector<double> brought_;
    std::vector<double> sent_;
    std::uint64_t least_kept_ = 0;  ///< elements of a sparse message
    std::uint64_t most_kept_ = 0;
};

}  // namespace dodona::calibrate
