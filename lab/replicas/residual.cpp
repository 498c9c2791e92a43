#include "lab/replicas/residual.hpp"

#include <algorithm>
#include <cmath>

namespace dodona::calibrate {

void Residual::add_to(std::span<float> values, Part range) {
    for (std::size_t i = 0; i < range.count; ++i) {
        brought_[range.first + i] += values[i];
        values[i] += left_[range.first + i];
    }
}

void Residual::keep(std::span<const float> values, std::span<const float> sent, Part range) {
    for (std::size_t i = 0; i < range.count; ++i) {
        sent_[range.first + i] += sent[i];
        left_[range.first + i] = feedback_ ? values[i] - sent[i] : 0;
    }
}

void Residual::keep_dropped(std::size_t element, float value) {
    left_[element] += feedback_ ? value : 0;
    sent_[element] -= value;
}

void Residual::count_sent(std::size_t elements) {
    least_kept_ = most_kept_ == 0 ? elements : std::min<std::uint64_t>(least_kept_, elements);
    most_kept_ = std::max<std::uint64_t>(most_kept_, elements);
}

double Residual::imbalance() const {
    double most = 0;
    double off = 0;
    for (std::size_t i = 0; i < brought_.size(); ++i) {
        most = std::max(most, std::abs(brought_[i]));
        off = std::max(off, std::abs(brought_[i] - sent_[i] - left_[i]));
    }
    return most > 0 ? off / most : 0;
}

double Residual::unsent() const {
    double most = 0;
    double off = 0;
    for (std::size_t i = 0; i < brought_.size(); ++i) {
        most = std::max(most, std::abs(brought_[i]));
        off = std::max(off, std::abs(brought_[i] - sent_[i]));
    }
    return most > 0 ? off / most : 0;
}

}  // namespace dodona::calibrate
