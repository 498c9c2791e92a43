#include "calibrate/fit/series.hpp"

#include "base/text_hash.hpp"

namespace dodona::calibrate {

void add(Series& series, const std::string& id, const graph::Kernel& kernel, Seconds time) {
    series.samples.push_back({id, kernel, time, static_cast<int>((text_hash(id) >> 32U) % kFolds)});
}

}  // namespace dodona::calibrate
