// Error sources of predicted times, and times by source.
//
// Errors are fully correlated within a source (one device, one benchmark, one kind of kernel) and independent between
// sources. The time of a source is the derivative of the step by the logarithm of all its times:  d T / d log(source).
// Times that add up have sources that add up. Hidden times have none.
#pragma once

#include <array>
#include <string_view>

#include "base/estimate.hpp"
#include "cluster/cluster.hpp"
#include "cost/collective_time.hpp"
#include "cost/device_time.hpp"
#include "graph/kernel.hpp"
#include "plan/framework.hpp"

namespace dodona::cost {

enum class ErrorSource {
    matmul,
    convolution,
    attention,
    recurrent,
    stream,
    gather,
    recurrent_overhead,
    inside_node,    ///< collectives limited by links inside nodes
    between_nodes,  ///< collectives limited by the network
    overlap_layers,
    interference,
    optimizer,
    launch,
    stragglers,
    step,
    input,
    overlap_states,
    host_update,
};

/// A source and the framework parameter that scales all its times.
struct ErrorSourceKind {
    ErrorSource source;
    std::string_view word;
    plan::FrameworkParameter parameter;
};

inline constexpr std::array kErrorSources{
    ErrorSourceKind{ErrorSource::matmul, "matmul", plan::FrameworkParameter::matmul},
    ErrorSourceKind{ErrorSource::convolution, "convolution", plan::FrameworkParameter::convolution},
    ErrorSourceKind{ErrorSource::attention, "attention", plan::FrameworkParameter::attention},
    ErrorSourceKind{ErrorSource::recurrent, "recurrent", plan::FrameworkParameter::recurrent},
    ErrorSourceKind{ErrorSource::stream, "stream", plan::FrameworkParameter::stream},
    ErrorSourceKind{ErrorSource::gather, "gather", plan::FrameworkParameter::gather},
    ErrorSourceKind{ErrorSource::recurrent_overhead, "recurrent_overhead",
                    plan::FrameworkParameter::recurrent_overhead},
    ErrorSourceKind{ErrorSource::inside_node, "collectives inside nodes", plan::FrameworkParameter::collective},
    ErrorSourceKind{ErrorSource::between_nodes, "collectives between nodes", plan::FrameworkParameter::collective},
    ErrorSourceKind{ErrorSource::overlap_layers, "overlap_layers", plan::FrameworkParameter::overlap_layers},
    ErrorSourceKind{ErrorSource::interference, "interference", plan::FrameworkParameter::interference},
    ErrorSourceKind{ErrorSource::optimizer, "optimizer", plan::FrameworkParameter::optimizer},
    ErrorSourceKind{ErrorSource::launch, "launch", plan::FrameworkParameter::launch},
    ErrorSourceKind{ErrorSource::stragglers, "stragglers", plan::FrameworkParameter::stragglers},
    ErrorSourceKind{ErrorSource::step, "step", plan::FrameworkParameter::step},
    ErrorSourceKind{ErrorSource::input, "input", plan::FrameworkParameter::input},
    ErrorSourceKind{ErrorSource::overlap_states, "overlap_states", plan::FrameworkParameter::overlap_states},
    ErrorSourceKind{ErrorSource::host_update, "host_update", plan::FrameworkParameter::host_update},
};

/// The first sources are those of kernels, then come the other sources of a pass.
inline constexpr std::size_t kKernelSources = 7;
inline constexpr std::size_t kPassSources = 11;

/// Derivatives by source, with intervals at the level of the evidence; signs are those of the derivatives.
template <std::size_t N>
struct TimesBySource {
    std::array<Estimate, N> values{};

    Estimate& operator[](ErrorSource source) { return values[static_cast<std::size_t>(source)]; }
    const Estimate& operator[](ErrorSource source) const { return values[static_cast<std::size_t>(source)]; }

    template <std::size_t M>
    TimesBySource& operator+=(const TimesBySource<M>& other) {
        static_assert(M <= N);
        for (std::size_t i = 0; i < M; ++i) {
            values[i] += other.values[i];
        }
        return *this;
    }
    friend TimesBySource operator*(double ratio, TimesBySource times) {
        for (Estimate& value : times.values) {
            value = ratio * value;
        }
        return times;
    }
};
using PassTimes = TimesBySource<kPassSources>;
using StepTimes = TimesBySource<kErrorSources.size()>;

/// Systematic share of a kernel's error: errors of single kernels partly cancel, those of data sheets do not. Assumed:
/// a quarter. Fits to single DeepBench convolutions in fp32 on a V100 miss by 10 to 30 % in the median
/// (hardware/profiles/v100-sxm.yaml), steps of ResNet-50 on it, whose software is fitted, by 3.8 % (dle-resnet50-v100
/// in lab/evidence/pages/accuracy.md).
inline constexpr double kSystematic = 0.25;
Estimate systematic(const KernelTime& kernel);

ErrorSource source_of(graph::KernelKind kind);
ErrorSource source_of(const cluster::Cluster& cluster, const CollectiveTime& time);

}  // namespace dodona::cost
