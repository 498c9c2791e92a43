#include "plan/memory_profile.hpp"

#include "base/check.hpp"

namespace dodona::plan {

std::string_view name(LossMemory loss) {
    switch (loss) {
        case LossMemory::probabilities: return "probabilities";
        case LossMemory::separate: return "separate";
        case LossMemory::in_place: return "in-place";
    }
    throw InternalError("a loss without a name");
}

}  // namespace dodona::plan
