// Measured curves of devices, clusters and links, and the provenance that fits share with them.
#pragma once

#include "cluster/cluster.hpp"
#include "files/description_keys.hpp"
#include "files/text_forms.hpp"

namespace dodona::files {

template <>
const Description& description<cluster::KernelCurve>();

template <>
const Description& description<cluster::CompressionCurve>();

template <>
const Description& description<cluster::ConvolutionCurve>();

/// Of a cluster: `ranks_per_node` is required.
template <>
const Description& description<cluster::CollectiveCurve>();

/// Of a link: its ranks are side by side unless the curve says otherwise.
const Description& link_curve();

/// A condition on `kernel`: kernels with extents, or passes over so many bytes.
Condition products();
Condition passes();

/// `source`, `date` and `conditions`, all optional.
template <auto Provenance>
std::vector<Key> provenance_keys() {
    return {
        optional<Provenance, &cluster::Provenance::source>("source", "Where the numbers come from."),
        optional<Provenance, &cluster::Provenance::date>("date", "Day of the measurement.", {.form = &kDate}),
        optional<Provenance, &cluster::Provenance::conditions>("conditions", "Clocks, driver and library versions.")};
}

}  // namespace dodona::files
