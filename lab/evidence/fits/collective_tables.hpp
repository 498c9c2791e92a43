// The published tables of collectives, read.
#pragma once

#include <string>

#include "calibrate/file/measured_table.hpp"
#include "calibrate/network/collective_tables.hpp"

namespace dodona::calibrate {

/// nccl_single_domain_collectives: rows of one `gpu` with a data type (nccl-tests); `half` makes points, `int8`, the
/// same bytes, is kept out. Sizes are nccl-tests' own: of an all-gather its result, of a reduce-scatter its input.
Tables nccl_tests(const MeasuredTable& table, const std::string& gpu);

/// allreduce_a100_v100: rows of one `gpu`; sizes in steps of 1 MiB. Powers of two and half-way between them make
/// points, all others are kept out.
Tables linear_all_reduces(const MeasuredTable& table, const std::string& gpu);

/// nccl_internode_a100_gh200: rows of one `cluster`, one GPU a node; every third size is kept out.
Tables between_nodes(const MeasuredTable& table, const std::string& cluster);

/// aceso_v100_collectives: rows of op p2p inside a node, which carry a bandwidth; nothing is left to keep out.
Tables sends_in_node(const MeasuredTable& table);

}  // namespace dodona::calibrate
