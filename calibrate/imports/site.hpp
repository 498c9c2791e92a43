// Lists of a site's hardware complete the topology of one of its nodes: with the model of its GPUs, the speed of its
// adapters, and the number of nodes.
//
//   ibstat (rdma-core)             CA 'mlx5_0' ... Port 1: ... State: Active ... Rate: 400       Gb/s, per active port
//   lspci (pciutils)               1b:00.0 3D controller: NVIDIA Corporation GH100 [H100 SXM5 80GB] (rev a1)
//   topology.conf (Slurm, tree)    SwitchName=leaf1 Nodes=gpu[001-032]                           hosts of all leaves
#pragma once

#include "calibrate/imports/import_builder.hpp"
#include "calibrate/imports/log_text.hpp"

namespace dodona::calibrate {

bool is_ibstat(const LogText& text);
void read_ibstat(const LogText& text, ImportBuilder& into);

bool is_lspci(const LogText& text);
/// Throws a located InputError for GPUs of several models.
void read_lspci(const LogText& text, ImportBuilder& into);

bool is_slurm_topology(const LogText& text);
/// Throws a located InputError for a list of hosts that is none.
void read_slurm_topology(const LogText& text, ImportBuilder& into);

/// Hosts that a list of Slurm names: "tux[0-3,12],login" -> 6. None where it is no such list.
std::optional<std::int64_t> hosts_in(std::string_view list);

/// The topology, with the site's facts where it has none of its own.
Topology completed(Topology topology, const Site& site);

}  // namespace dodona::calibrate
