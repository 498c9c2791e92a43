// A primitive of oneDNN 2 with its arguments in memory. Included by onednn*.cpp alone.
#pragma once

#include <string>
#include <vector>

#include <oneapi/dnnl/dnnl.hpp>

#include "calibrate/cpu/onednn.hpp"

namespace dodona::calibrate::cpu {

/// One tensor of a primitive: as the framework holds it, and as the primitive wants it.
struct Argument {
    int slot = 0;  ///< DNNL_ARG_...
    dnnl::memory::desc held, wanted;
    bool result = false;
};

const dnnl::engine& cpu_engine();
dnnl::memory::data_type data_type(Precision precision);
dnnl::memory::desc plain(const Extents& extents, Precision precision);
/// Channels next to each other.
dnnl::memory::desc channels_last(const Extents& extents, Precision precision);
dnnl::memory::desc any_layout(const Extents& extents, Precision precision);

/// Runs the primitive, and before and after it what rewrites arguments held otherwise than wanted (lap "reorder").
Job job_of(const dnnl::primitive& primitive, const std::string& implementation, const std::vector<Argument>& arguments,
           const TensorFactory& factory);

/// Creates a oneDNN object; a oneDNN error becomes CannotMeasure, which names the object.
template <typename Make>
Job or_cannot_measure(const char* what, const Make& make);

[[noreturn]] void cannot_measure(const char* what, const dnnl::error& error);

template <typename Make>
Job or_cannot_measure(const char* what, const Make& make) {
    try {
        return make();
    } catch (const dnnl::error& error) {
        cannot_measure(what, error);
    }
}

}  // namespace dodona::calibrate::cpu
