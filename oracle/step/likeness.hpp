// How alike the errors of two runs of one user on one device are, of what no parameter explains.
//
//   correlation of two jobs  j = exp(-d)
//       d = other_network [networks differ] + other_precision [precisions differ]
//         + one_device [only one of them runs on one device]
//         + doubled_devices |log2 ratio of devices| + doubled_samples |log2 ratio of samples a device|
//   correlation of two runs  (1 - run_part) j of the same layout, (1 - layout_part) j of others, 1 of a run with itself
//
// Source: the likeliest values, rounded, for the errors of 1,912 published runs of 109 users, each with errors below 30 %
// (root mean square): `dodona-evidence fit likeness runs.csv`. Domain: runs of one user, that is, one source's software
// on one kind of device. Not modelled: how far two networks or two precisions are apart.
#pragma once

#include <cstdint>
#include <string>

#include "graph/graph.hpp"
#include "plan/plan.hpp"
#include "step/uncertainty.hpp"

namespace dodona::step {

/// Share of the unexplained variance that no other run knows of, not even one of the same job and layout.
inline constexpr double kRunPart = 0.3;

struct Likeness {
    double layout_part = kLayoutPart;
    double run_part = kRunPart;
    double other_network = 0.5;
    double other_precision = 0.5;
    double one_device = 0.1;
    double doubled_devices = 0.03;
    double doubled_samples = 0.05;
};

/// What a run is, as far as errors differ with it.
struct RunKind {
    std::string network;  ///< its name and size
    Precision precision = Precision::bf16;
    std::int64_t devices = 1;
    double samples = 1;  ///< of a step, a device
    std::string layout;  ///< how the plan divides the network; empty: any
    std::string id;      ///< of this very run; empty: none of those that are compared with it
};

/// A job that any plan may run.
RunKind job_kind(const graph::Graph& graph, Precision precision, std::int64_t batch, std::int64_t devices);
RunKind run_kind(const graph::Graph& graph, const plan::Plan& plan);

/// Correlation of the unexplained errors of two jobs, whatever their layouts: above 0, 1 for equal jobs.
double job_correlation(const RunKind& a, const RunKind& b, const Likeness& likeness = {});

/// ... of two runs, whose layouts are known.
double run_correlation(const RunKind& a, const RunKind& b, const Likeness& likeness = {});

}  // namespace dodona::step
