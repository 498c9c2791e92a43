#include "cost/moved_tables.hpp"

#include <utility>

#include "base/check.hpp"
#include "cost/collective_curve.hpp"
#include "cost/kernel_curve.hpp"

namespace dodona::cost {

namespace {

void move(cluster::CollectiveCurve& curve, std::int64_t apart, const cluster::Cluster& was,
          const cluster::Cluster& is) {
    for (cluster::CollectiveCurve::Point& point : curve.points) {
        const std::optional<CollectiveRequest> request = benchmark(curve, apart, point.size);
        if (request && request->group.size() > 1 && request->ranks <= was.devices()) {
            point.time *= modelled_time(is, *request) / modelled_time(was, *request);
        }
    }
}

void move(cluster::Device& device, const cluster::Device& was) {
    for (cluster::KernelCurve& curve : device.curves) {
        curve = moved(std::move(curve), was, device);
    }
}

}  // namespace

cluster::Cluster moved_tables(const cluster::Cluster& was, const cluster::Cluster& is) {
    check(was.levels.size() == is.levels.size() && was.mixed.size() == is.mixed.size(),
          "a machine that is asked to be otherwise has the same levels and devices");
    cluster::Cluster moved = is;
    for (cluster::CollectiveCurve& curve : moved.curves) {
        move(curve, was.node_size(), was, is);
    }
    for (std::size_t level = 0; level < moved.levels.size(); ++level) {
        if (auto& link = moved.levels[level].link) {
            for (cluster::CollectiveCurve& curve : link->curves) {
                move(curve, level > 0 ? was.domain_size(level - 1) : 1, was, is);
            }
        }
    }
    move(moved.device, was.device);
    for (std::size_t i = 0; i < moved.mixed.size(); ++i) {
        move(moved.mixed[i].device, was.mixed[i].device);
    }
    return moved;
}

}  // namespace dodona::cost
