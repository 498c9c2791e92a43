// Measured kernels of one kind on one device: what one fit is made from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/precision.hpp"
#include "base/quantity.hpp"
#include "cluster/attention_library.hpp"
#include "graph/kernel.hpp"

namespace dodona::calibrate {

inline constexpr int kFolds = 5;

struct Sample {
    std::string id;
    graph::Kernel kernel;
    Seconds time;
    int fold = 0;  ///< which of the kFolds fits does not see it
};

/// Two products measured as one: dX and dW of a linear layer.
struct BackwardSample {
    graph::Kernel input;
    graph::Kernel weight;
    Seconds time;
};

struct Series {
    std::string device;  ///< the device file that describes what was measured
    graph::KernelKind kind = graph::KernelKind::matmul;
    Precision precision = Precision::fp16;
    bool casts_input = false;                                    ///< what was measured quantises the input, too
    bool has_direction = false;                                  ///< of one pass only: that of the samples
    std::optional<cluster::AttentionLibrary> attention_library;  ///< of attention
    std::vector<Sample> samples;
    std::vector<BackwardSample> backward;
    std::string source;
    std::string conditions;
};

/// Adds a row; a hash of its id (FNV-1a) says its fold, so that it is the same every time.
void add(Series& series, const std::string& id, const graph::Kernel& kernel, Seconds time);

}  // namespace dodona::calibrate
