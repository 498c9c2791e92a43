#include "cluster/device.hpp"

#include "base/check.hpp"

namespace dodona::cluster {

FlopPerSecond Device::peak(Precision precision) const {
    const auto found = matrix.find(precision);
    check(found != matrix.end(), "a device is asked only for precisions that it supports");
    return found->second;
}

FlopPerSecond Device::product_rate(Precision precision) const {
    const auto found = achieved.find(precision);
    return found != achieved.end() ? found->second : peak(precision);
}

bool Device::supports(Precision precision) const { return matrix.contains(precision); }

}  // namespace dodona::cluster
