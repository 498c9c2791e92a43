// Execution traces of MLCommons Chakra as timelines of one device.
//
// A file is a sequence of messages of Protocol Buffers, each after its length: GlobalMetadata, then Nodes. Fields that are
// read:
//
//   Node             2 name, 3 type, 6 start_time_micros, 7 duration_micros, 10 attr
//   AttributeProto   1 name, and its one value where that is an integer or a truth
//
// Of the attributes, is_cpu_op and comm_type. Operators of the host are left out, but for the marks of the profiler's
// steps. Other versions of the schema have more fields, which are passed over.
// Source: mlcommons/chakra, schema/protobuf/et_def.proto (package ChakraProtoMsg).
#pragma once

#include <string_view>

#include "traces/byte_stream.hpp"
#include "traces/device_timeline.hpp"

namespace dodona::traces {

/// By the start of a file: whether it is a GlobalMetadata with a version.
bool is_chakra(std::string_view start);

/// Throws InputError, with the byte, for what is no such file, and for a trace whose nodes have no durations.
DeviceTimeline read_chakra_timeline(ByteStream& bytes);

}  // namespace dodona::traces
