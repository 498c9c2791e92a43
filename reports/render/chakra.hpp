// Execution traces in the format of MLCommons Chakra, which ASTRA-sim reads.
//
// A file is a sequence of messages in the encoding of Protocol Buffers, each after its length: GlobalMetadata, then Nodes.
// Fields that are written, by number; those of an attribute are its name and one value:
//
//   GlobalMetadata   1 version, 2 attr
//   Node             1 id, 2 name, 3 type, 4 ctrl_deps, 5 data_deps, 6 start_time_micros, 7 duration_micros, 10 attr
//   AttributeProto   1 name, 7 int32_val, 9 int64_val, 27 bool_val, 29 string_val
//
// Attributes of a node: is_cpu_op (false); of a collective comm_type, comm_size, pg_name; of a send or receive comm_src,
// comm_dst, comm_tag, comm_size. Their types are those that ASTRA-sim's readers of both generations take.
// Ends of nodes are rounded to the microseconds that the format has, so that rounding does not add up.
// Source: mlcommons/chakra, schema/protobuf/et_def.proto (package ChakraProtoMsg) and src/feeder/et_feeder_node.cpp;
// astra-sim/astra-sim, astra-sim/workload/Workload.cc.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reports/document/execution_trace.hpp"

namespace dodona::reports {

/// The file of one rank. `about`: attributes of the whole.
std::string chakra_trace(std::int64_t rank, const std::vector<TraceNode>& nodes,
                         const std::vector<std::pair<std::string, std::string>>& about);

/// ASTRA-sim's configuration of communicator groups: number -> ranks, as JSON.
std::string chakra_groups(const std::vector<TraceGroup>& groups);

}  // namespace dodona::reports
