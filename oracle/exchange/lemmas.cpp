#include "exchange/lemmas.hpp"

#include <limits>

namespace dodona::exchange {

double efficiency_with_overhead(double overhead, double devices) { return (1 + overhead) / (1 + devices * overhead); }

double devices_at_efficiency(double overhead, double efficiency) {
    if (overhead <= 0) {
        return std::numeric_limits<double>::infinity();
    }
    return (1 + overhead - efficiency) / (efficiency * overhead);
}

}  // namespace dodona::exchange
