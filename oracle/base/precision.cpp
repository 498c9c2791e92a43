#include "base/precision.hpp"

#include "base/check.hpp"

namespace dodona {

namespace {
constexpr Bytes kTwo = Bytes::of_base(2);
constexpr Bytes kFour = Bytes::of_base(4);
}  // namespace

std::string_view name(Precision precision) {
    switch (precision) {
        case Precision::fp32: return "fp32";
        case Precision::tf32: return "tf32";
        case Precision::fp16: return "fp16";
        case Precision::bf16: return "bf16";
        case Precision::fp8: return "fp8";
        case Precision::mxfp8: return "mxfp8";
        case Precision::nvfp4: return "nvfp4";
    }
    throw InternalError("a precision without a name");
}

std::optional<Precision> precision_from(std::string_view text) {
    for (const Precision precision : kPrecisions) {
        if (name(precision) == text) {
            return precision;
        }
    }
    return std::nullopt;
}

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
