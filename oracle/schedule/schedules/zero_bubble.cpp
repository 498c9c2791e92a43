// ZB-H1 and ZB-H2: 1F1B with gradients of weights apart, so that those of inputs need not wait for them.
//
//            forward passes first   weights behind   bubble                   domain                        in flight
//   ZB-H1    p - 1 - s              s                (p - 1)(F + I - W)       W <= F, m >= p                p
//   ZB-H2    2 (p - 1 - s)          2 s              (p - 1)(F + I - 2 W)     W <= F, 2W <= F + I, m >= 2p - 1   2p - 1
//
// I and W: gradients of inputs and of weights (B and W in the paper). The bubble is that between a stage's own first
// start and last end: with F = I = W and ZB-H2 each stage is never idle in between, but starts and ends s F after stage 0,
// so the gain is whole only if the update of a stage waits for no other (the paper's post-validation). Every stage holds
// as many micro-batches as stage 0, those whose gradients of weights are due included: of passes of M_B bytes, of which
// these need M_W <= M_B, (p - s) M_B + s M_W with ZB-H1 and (2 (p - s) - 1) M_B + 2 s M_W with ZB-H2 (table 2). Source: Qi et al.,
// arXiv:2401.10241, section 2; the domains were found by playing.
#include "schedule/schedules/schedules.hpp"
#include "schedule/schedules/shared.hpp"

namespace dodona::schedule {

Order zero_bubble_h1(const Shape& shape) {
    return alternate(shape, [&](std::int32_t stage) {
        return Distance{.warm_up = shape.stages - 1 - stage, .weights_behind = stage};
    });
}

Order zero_bubble_h2(const Shape& shape) {
    return alternate(shape, [&](std::int32_t stage) {
        return Distance{.warm_up = 2 * (shape.stages - 1 - stage), .weights_behind = 2 * stage};
    });
}

}  // namespace dodona::schedule
