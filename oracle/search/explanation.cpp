#include "search/explanation.hpp"

#include <cmath>

namespace dodona::search {

std::optional<NearestFlip> nearest_flip(const Explanation& explanation) {
    std::optional<NearestFlip> nearest;
    for (const Sensitivity& sensitivity : explanation.parameters) {
        for (const Direction* direction : {&sensitivity.less, &sensitivity.more}) {
            if (!direction->flip) {
                continue;
            }
            const Flip& flip = *direction->flip;
            if (!nearest || std::abs(std::log(flip.factor)) < std::abs(std::log(nearest->flip->factor))) {
                nearest = NearestFlip{&sensitivity, &flip};
            }
        }
    }
    return nearest;
}

}  // namespace dodona::search
