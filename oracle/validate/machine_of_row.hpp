// The machine that a row of a table of machines describes: the links of a built-in one at the row's rates and counts.
#pragma once

#include "cluster/cluster.hpp"
#include "files/library.hpp"
#include "files/machine_table.hpp"
#include "files/table_conventions.hpp"

namespace dodona::validate {

/// Levels: the node, the domain of links where several nodes share one, and the fabric where its adapters are stated:
/// of as many nodes as a run asks for, not oversubscribed. A rate that the row leaves out is that of the machine it is
/// like. Measured curves stay where nothing that they depend on differs. Storage is not described by such a row.
/// Throws InputError, located in the row, for links that no built-in machine has and for what does not divide.
cluster::Cluster machine_of_row(const files::MachineRow& row, const files::TableConventions& conventions,
                                const files::Library& library);

}  // namespace dodona::validate
