#include "cluster/device.hpp"

#include "base/check.hpp"

namespace dodona::cluster {

std::optional<Maker> Device::maker() const { return maker_of(family); }

FlopPerSecond Device::peak(Precision precision) const {
    const auto found = matrix.find(precision);
    check(found != matrix.end(), "a device is asked only for precisions that it supports");
    return found->second;
}

std::optional<double> Device::best_share(Precision precision) const {
    for (const Precision measured : {precision, Precision::bf16, Precision::fp16}) {
        const auto found = achieved.find(measured);
        if (found != achieved.end() && (measured == precision || precision != Precision::fp32)) {
            return found->second / peak(measured);
        }
    }
    return std::nullopt;
}

FlopPerSecond Device::product_rate(Precision precision) const {
    return best_share(precision).value_or(1) * peak(precision);
}

bool Device::supports(Precision precision) const { return matrix.contains(precision); }

}  // namespace dodona::cluster
