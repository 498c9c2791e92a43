// Positions of a job's groups on the levels of a cluster.
//
// Rank r runs on device r of those that the job takes; a child of a level holds U consecutive ones. Of a stride {s, z} (z > 1) a child holds
//
//   z          members  where s*z <= U   (all of it: the stride stays inside)
//   ceil(U/s)  members  where s < U < s*z
//   1          member   where s >= U
//
// and of a group with several strides the product (contiguous strides count as one). The level is crossed iff the
// job is larger than U and some s*z does not divide U. All children hold members alike iff each stride inside
// has s*z | U and each stride between has s | U and U | s*z; then U / members groups share a child, and all of them
// leave it.
//
// Otherwise groups straddle children. If some stride is not inside, every group of the child leaves it:
// ceil(U/members). If all are inside, only groups at the two ends of the child leave it, at most s / (product of the
// inner sizes) at each; the child's devices are then taken as split evenly among them.
//
// Not modelled: ranks in another order than devices; uneven parts of straddling groups.
#include <algorithm>

#include "base/check.hpp"
#include "cluster/cluster.hpp"

namespace dodona::cluster {

namespace {

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// A group on children of `domain` devices.
struct Overlap {
    std::int64_t members = 1;     ///< maximum in one child
    bool crosses = false;         ///< some stride crosses the boundary of a child
    bool aligned = true;          ///< all children hold members alike
    bool all_leave = false;       ///< no group stays inside a child
    std::int64_t straddling = 1;  ///< otherwise: groups that may straddle one end of a child
};

/// Adds a stride around the `inner` members of the previous ones.
void extend(Overlap& result, const Group::Stride& stride, std::int64_t inner, std::int64_t domain) {
    const std::int64_t period = stride.stride * stride.size;
    if (stride.size == 1 || domain % period == 0) {
        result.members *= stride.size;
        return;
    }
    result.crosses = true;
    if (period <= domain) {  // inside most children, across the boundary of some
        result.aligned = false;
        result.members *= stride.size;
        result.straddling = divide_up(stride.stride, inner);
    } else if (stride.stride < domain) {
        result.aligned = result.aligned && domain % stride.stride == 0 && period % domain == 0;
        result.members *= divide_up(domain, stride.stride);
        result.all_leave = true;
    } else {
        result.all_leave = true;
    }
}

Overlap overlap(const Group& group, std::int64_t domain) {
    Overlap result;
    Group::Stride run{1, 1};  // contiguous strides are one: {1, 2}, {2, 4} is {1, 8}
    std::int64_t inner = 1;
    for (const Group::Stride& stride : group.strides) {
        if (stride.size == 1) {
            continue;
        }
        const std::int64_t period = run.stride * run.size;
        check(stride.stride % period == 0, "the strides of a group nest, innermost first");
        if (stride.stride == period && run.size > 1) {
            run.size *= stride.size;
            continue;
        }
        extend(result, run, inner, domain);
        inner *= run.size;
        run = stride;
    }
    extend(result, run, inner, domain);
    return result;
}

Span span_of(const Overlap& on, std::int64_t inside, std::int64_t size) {
    Span span;
    if (on.aligned || on.all_leave) {
        span.members = std::min({on.members, inside, size - 1});
        span.groups = divide_up(inside, span.members);
    } else {
        span.groups = std::min(2 * on.straddling, inside);
        span.members = std::clamp<std::int64_t>(inside / span.groups, 1, size - 1);
    }
    return span;
}

}  // namespace

std::vector<Span> spans(const Cluster& cluster, const Group& group, std::int64_t ranks) {
    check(ranks <= cluster.devices(), "a job has no more ranks than the cluster has devices");
    const std::int64_t size = group.size();
    std::vector<Span> crossed;
    if (size == 1) {
        return crossed;
    }
    crossed.reserve(cluster.levels.size());
    std::int64_t child_devices = 1;
    for (std::size_t level = 0; level < cluster.levels.size() && child_devices < ranks; ++level) {
        const Overlap on = overlap(group, child_devices);
        if (!on.crosses) {
            break;
        }
        Span span = span_of(on, child_devices, size);
        span.level = level;
        span.alike = on.aligned;
        span.child_devices = child_devices;
        crossed.push_back(span);
        child_devices *= cluster.taken(level, ranks);
    }
    return crossed;
}

}  // namespace dodona::cluster
