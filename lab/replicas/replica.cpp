#include "lab/replicas/replica.hpp"

namespace dodona::calibrate {

namespace {

constexpr float kOuterRate = 0.7F;
constexpr float kOuterMomentum = 0.9F;

}  // namespace

void Replica::fill_payload() {
    switch (sends) {
        case exchange::Sent::gradients: payload = gradient; break;
        case exchange::Sent::weights: payload = weights; break;
        case exchange::Sent::increments:
            for (std::size_t i = 0; i < weights.size(); ++i) {
                payload[i] = weights[i] - anchor[i];
            }
            break;
    }
}

void Replica::apply_gradient() {
    for (std::size_t i = 0; i < weights.size(); ++i) {
        weights[i] -= rate * gradient[i];
    }
}

void Replica::apply(Part range, std::span<const float> sum, std::size_t count) {
    const std::span<float> into = target_of(range);
    const auto of = static_cast<float>(count);
    for (std::size_t i = 0; i < range.count; ++i) {
        const std::size_t at = range.first + i;
        const float mean = sum[i] / of;
        if (outer == exchange::Outer::none) {
            into[i] -= rate * mean;
        } else if (outer == exchange::Outer::nesterov) {
            const float change = sends == exchange::Sent::weights ? mean - anchor[at] : mean;
            velocity[at] = kOuterMomentum * velocity[at] + change;
            into[i] = anchor[at] + kOuterRate * (change + kOuterMomentum * velocity[at]);
            anchor[at] = into[i];
        } else {
            into[i] = sends == exchange::Sent::weights ? mean : anchor[at] + mean;
            anchor[at] = into[i];
        }
    }
}

}  // namespace dodona::calibrate
