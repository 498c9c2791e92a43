// The devices of a costed graph, and costed graphs of several devices in lockstep.
#include <algorithm>

#include <fmt/format.h>

#include "base/check.hpp"
#include "step/segment_cost.hpp"

namespace dodona::step {

const CostedGraph& CostedGraph::on(DeviceSet wanted) const {
    if (variants.empty()) {
        return *this;
    }
    const auto found = std::find_if(variants.begin(), variants.end(),
                                    [&](const CostedGraph& variant) { return variant.set == wanted; });
    check(found != variants.end(), "a job is costed on all its sets of devices");
    return *found;
}

Bytes CostedGraph::memory_limit() const {
    Bytes least = devices.front().device->memory;
    for (const DeviceTimes& times : devices) {
        least = min(least, times.device->memory);
    }
    return least * (1.0 - cluster->memory_reserve);
}

Bytes CostedGraph::context() const {
    Bytes most;
    for (const DeviceTimes& times : devices) {
        most = max(most, times.device->context);
    }
    return most;
}

Estimate CostedGraph::update_time(Bytes traffic, double share) const {
    if (traffic <= Bytes{}) {
        return {};  // nothing is trained
    }
    Estimate slowest;
    for (const DeviceTimes& times : devices) {
        const Estimate time = times.measured
                                  ? Estimate::exactly(share * times.measured_update)
                                  : software.optimizer * cost::systematic(cost::stream_time(*times.device, traffic));
        slowest = time.value > slowest.value ? time : slowest;
    }
    return slowest;
}

std::string CostedGraph::device_names(DeviceSet some) const {
    std::vector<std::string> names;
    for (std::size_t k = 0; k < devices.size(); ++k) {
        if ((some >> k & 1) != 0) {
            names.push_back(devices[k].device->name);
        }
    }
    return fmt::format("{}", fmt::join(names, " and "));
}

CostedGraph joined(const std::vector<CostedGraph>& singles, DeviceSet set) {
    const auto slower = [](PassCost& mine, const PassCost& theirs) {
        if (theirs.total().value > mine.total().value) {
            mine = theirs;
        }
    };
    const auto is_part = [&](const CostedGraph& single) { return (single.set & set) != 0; };
    const auto first = std::find_if(singles.begin(), singles.end(), is_part);
    check(first != singles.end(), "a set of devices is not empty");
    CostedGraph all = *first;
    for (const CostedGraph& single : singles) {
        if (!is_part(single) || single.set == first->set) {
            continue;
        }
        for (std::size_t u = 0; u < all.segments.size(); ++u) {
            slower(all.segments[u].forward, single.segments[u].forward);
            slower(all.segments[u].further, single.segments[u].further);
            slower(all.segments[u].backward, single.segments[u].backward);
            slower(all.segments[u].selective, single.segments[u].selective);
            slower(all.segments[u].named, single.segments[u].named);
        }
        all.devices.insert(all.devices.end(), single.devices.begin(), single.devices.end());
        all.set |= single.set;
    }
    return all;
}

}  // namespace dodona::step
