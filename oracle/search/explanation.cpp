#include "search/explanation.hpp"

#include <cmath>

namespace dodona::search {

std::optional<NearestCrossover> nearest_crossover(const Explanation& explanation) {
    std::optional<NearestCrossover> nearest;
    for (const Sensitivity& sensitivity : explanation.parameters) {
        for (const Direction* direction : {&sensitivity.less, &sensitivity.more}) {
            if (!direction->crossover) {
                continue;
            }
            const Crossover& crossover = *direction->crossover;
            if (!nearest || std::abs(std::log(crossover.factor)) < std::abs(std::log(nearest->crossover->factor))) {
                nearest = NearestCrossover{&sensitivity, &crossover};
            }
        }
    }
    return nearest;
}

}  // namespace dodona::search
