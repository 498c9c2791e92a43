// Published systems of distributed training by how they are made, and the exchange file that stands for each here.
//
// Source: Langer, He, Rahayu and Xue, "Distributed training of deep learning models: a taxonomic perspective", IEEE TPDS
// 2020 (arXiv:2007.03970), Table 1, for those with `in_taxonomy`; the others are placed by the same axes from their own
// papers (column source).
#pragma once

#include <span>
#include <string_view>

namespace dodona::exchange {

struct System {
    std::string_view name;
    std::string_view parallelism;  ///< data, model, model and data
    std::string_view
        optimisation;  ///< central: one model of which workers compute gradients; decentral: replicas differ
    std::string_view scheduling;
    std::string_view pattern;   ///< as the taxonomy calls it
    std::string_view topology;  ///< the same
    std::string_view runs;      ///< exchange file; empty: it has no replicas
    std::string_view source;
    bool in_taxonomy = true;
};

std::span<const System> systems();

}  // namespace dodona::exchange
