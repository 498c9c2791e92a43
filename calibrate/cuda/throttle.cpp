#include "calibrate/cuda/throttle.hpp"

#include <algorithm>

namespace dodona::calibrate::cuda {

bool ClockRule::accepts(double clock) {
    if (clock <= 0) {
        return true;
    }
    if (clock >= kThrottled * settled_) {
        settled_ = std::max(settled_, clock);
        below_.clear();
        return true;
    }
    below_.push_back(clock);
    if (static_cast<int>(below_.size()) >= kSettledAfter) {
        settled_ = *std::max_element(below_.begin(), below_.end());
        below_.clear();
    }
    return false;
}

}  // namespace dodona::calibrate::cuda
