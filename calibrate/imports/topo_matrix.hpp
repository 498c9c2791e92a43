// nvidia-smi topo -m: which path joins each pair of GPUs and adapters of a node.
//
//            GPU0    GPU1    NIC0    CPU Affinity    NUMA Affinity   GPU NUMA ID
//    GPU0     X      NV18    PIX     0-47            0               N/A
//    NIC0    PIX     SYS      X
// The header is underlined on a terminal; rows of adapters have no affinities; older ones call adapters mlx5_0; a
// legend names NIC0. Read by white space, so that pasted tables are read too. How fast a link is stands nowhere.
#pragma once

#include "calibrate/imports/import_builder.hpp"
#include "calibrate/imports/log_text.hpp"

namespace dodona::calibrate {

bool is_topo_matrix(const LogText& text);
/// Throws InputError, located, for a matrix with cells that are no path, short rows, or unlike halves.
void read_topo_matrix(const LogText& text, ImportBuilder& into);

}  // namespace dodona::calibrate
