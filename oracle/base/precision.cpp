#include "base/precision.hpp"

namespace dodona {

namespace {
constexpr Bytes kTwo = Bytes::of_base(2);
constexpr Bytes kFour = Bytes::of_base(4);
}  // namespace

Bytes stored_bytes(Precision precision) {
    return precision == Precision::fp32 || precision == Precision::tf32 ? kFour : kTwo;
}

TrainingBytes training_bytes(Precision precision) {
    const Bytes element = stored_bytes(precision);
    const bool mixed = element < kFour;
    return {.activation = element,
            .weight = element,
            .gradient = kFour,
            .reduced = kFour,
            .master = mixed ? kFour : Bytes{}};
}

}  // namespace dodona
