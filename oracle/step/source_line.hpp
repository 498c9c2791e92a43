// The evidence and sources behind a prediction.
#pragma once

#include <string>

#include "base/estimate.hpp"

namespace dodona::step {

struct SourceLine {
    enum class Of {
        kernels,
        doubtful_kernels,
        measured_samples,
        communication,
        host,
        framework,
        other_maker,
        beyond_fit,
        model,
        compared
    };
    Of of = Of::model;
    Evidence best = Evidence::measured;   ///< of kernels
    Evidence worst = Evidence::measured;  ///< of kernels and communication
    std::string name;  ///< of the device, its maker, the cluster, framework, model, or layer that compares samples
    std::string source;
    bool operator==(const SourceLine&) const = default;
};

/// "compute: a100 (its source); kernel times: measured, in part data sheet".
std::string text(const SourceLine& line);

/// Its kind of evidence alone, "kernel times: fitted, in part data sheet", and what one must know; empty: neither.
std::string brief_text(const SourceLine& line);

}  // namespace dodona::step
