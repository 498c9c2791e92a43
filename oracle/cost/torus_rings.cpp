#include "cost/torus_rings.hpp"

#include <algorithm>
#include <optional>

namespace dodona::cost {

namespace {

using cluster::Collective;
using Stride = cluster::Group::Stride;

/// Members of the group along one dimension, one every `step` children of `size`.
struct Extent {
    std::int64_t size = 1;
    std::int64_t step = 1;
    std::int64_t members = 1;
};

std::vector<std::int64_t> sizes_of(const cluster::Level& level) {
    return level.sizes.empty() ? std::vector{level.size} : level.sizes;
}

/// A stride of ranks in units of children, within a domain of `size` children; none if it is not a whole number.
std::optional<Stride> of_children(const Stride& ranks, std::int64_t child_devices, std::int64_t size) {
    const std::int64_t period = ranks.stride * ranks.size;
    const std::int64_t domain = child_devices * size;
    if (period <= child_devices || ranks.stride >= domain) {
        return Stride{1, 1};
    }
    if (std::max(ranks.stride, child_devices) % std::min(ranks.stride, child_devices) != 0) {
        return std::nullopt;
    }
    const std::int64_t first = std::max<std::int64_t>(1, ranks.stride / child_devices);
    const std::int64_t last = std::min(period / child_devices, size);
    if (last % first != 0 || std::max(period, domain) % domain != 0) {
        return std::nullopt;
    }
    return Stride{first, last / first};
}

/// Maps one stride of children to the dimensions, as far as it follows them.
void lay(Stride stride, const std::vector<std::int64_t>& sizes, std::vector<Extent>& extents) {
    std::int64_t place = 1;  // children between neighbours along the dimension
    for (const std::int64_t size : sizes) {
        const std::int64_t next = place * size;
        if (stride.size > 1 && stride.stride < next) {
            if (stride.stride % place != 0 || next % stride.stride != 0) {
                return;
            }
            const std::int64_t members = std::min(stride.size, next / stride.stride);
            if (stride.size % members != 0) {
                return;
            }
            extents.push_back({.size = size, .step = stride.stride / place, .members = members});
            stride = {next, stride.size / members};
        }
        place = next;
    }
}

std::vector<Extent> extents_of(const cluster::Level& level, const CollectiveRequest& request, const cluster::Span& span,
                               std::int64_t children) {
    const std::vector<std::int64_t> sizes = sizes_of(level);
    std::vector<Extent> extents;
    std::int64_t members = 1;
    bool follows = true;
    for (const Stride& ranks : request.group.strides) {
        const auto stride = of_children(ranks, span.child_devices, level.size);
        if (stride) {
            lay(*stride, sizes, extents);
        }
        follows = follows && stride;
    }
    for (const Extent& extent : extents) {
        members *= extent.members;
    }
    if (!follows || members != children) {  // fewer members: a stride does not follow the dimensions
        return {{.size = level.size, .members = children}};
    }
    return extents;
}

/// Links along one dimension that the group's traffic can use.
double directions(const CollectiveRequest& request, const Extent& extent) {
    switch (request.collective) {
        case Collective::send: return 1;
        case Collective::halo: return request.messages;
        case Collective::all_reduce:
        case Collective::all_gather:
        case Collective::reduce_scatter:
        case Collective::all_to_all: break;
    }
    return extent.members * extent.step == extent.size ? 2 : 1;
}

}  // namespace

std::vector<TorusRing> torus_rings(const cluster::Level& level, const CollectiveRequest& request,
                                   const cluster::Span& span, std::int64_t children) {
    std::vector<TorusRing> rings;
    for (const Extent& extent : extents_of(level, request, span, children)) {
        const double flows = static_cast<double>(extent.step * span.groups);
        const double links = directions(request, extent) * static_cast<double>(level.links);
        rings.push_back({.extent = extent.members, .share = links * level.bandwidth / flows, .contention = flows});
    }
    return rings;
}

}  // namespace dodona::cost
