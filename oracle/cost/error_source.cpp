#include "cost/error_source.hpp"

#include "base/check.hpp"

namespace dodona::cost {

Estimate systematic(const KernelTime& kernel) {
    const Estimate& t = kernel.time;
    const bool one_sided = kernel.evidence == Evidence::data_sheet || kernel.evidence == Evidence::extrapolated;
    return one_sided
               ? t
               : Estimate{t.value, t.value - kSystematic * (t.value - t.lo), t.value + kSystematic * (t.hi - t.value)};
}

ErrorSource source_of(graph::KernelKind kind) {
    switch (kind) {
        case graph::KernelKind::matmul: return ErrorSource::matmul;
        case graph::KernelKind::convolution: return ErrorSource::convolution;
        case graph::KernelKind::attention: return ErrorSource::attention;
        case graph::KernelKind::recurrent: return ErrorSource::recurrent;
        case graph::KernelKind::stream: return ErrorSource::stream;
        case graph::KernelKind::gather: return ErrorSource::gather;
    }
    throw InternalError("a kind of kernel that is no source of error");
}

ErrorSource source_of(const cluster::Cluster& cluster, const CollectiveTime& time) {
    return time.level > cluster.node_level ? ErrorSource::between_nodes : ErrorSource::inside_node;
}

}  // namespace dodona::cost
