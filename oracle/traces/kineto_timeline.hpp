// Traces of the PyTorch profiler (Kineto: Chrome's JSON) as timelines of one device.
//
// Read of an event: phase, category, name, start, duration; of its arguments the device, the number of the launch and the
// name of the collective. Nothing else is kept.
// Source: pytorch/kineto libkineto/src/output_json.cpp; times are in us.
#pragma once

#include <string_view>

#include "traces/byte_stream.hpp"
#include "traces/device_timeline.hpp"

namespace dodona::traces {

/// By the start of a file.
bool is_kineto(std::string_view start);

/// Throws InputError for what is no JSON, for a trace without kernels and for one of several devices.
DeviceTimeline read_kineto_timeline(ByteStream& bytes);

}  // namespace dodona::traces
