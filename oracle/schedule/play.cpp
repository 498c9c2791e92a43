#include "schedule/play.hpp"

namespace dodona::schedule {

double bubble_fraction(const Played<double>& played) {
    double idle = 0;
    for (std::size_t s = 0; s < played.busy.size(); ++s) {
        idle += played.idle(static_cast<std::int32_t>(s));
    }
    const double whole = played.makespan * static_cast<double>(played.busy.size());
    return whole > 0 ? idle / whole : 0;
}

}  // namespace dodona::schedule
