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

/// A class of techniques with what it asks for and brings: Table 2 and section 4.3 of the taxonomy. Grades count its plus
/// signs.
struct Technique {
    std::string_view name;
    std::string_view parallelism;    ///< data, model
    std::string_view optimisation;   ///< empty: of model parallelism
    std::string_view scheduling;     ///< the same
    bool large_balanced_data;        ///< needs a large data set with equal parts
    bool balanced_model;             ///< needs a model that divides into equal parts
    std::string_view learning_rate;  ///< the best one, as the cluster grows
    int overlap;                     ///< how hard communication is to overlap with compute
    int parameters;                  ///< further hyper-parameters
    int resilience;                  ///< to what others do on the machine
    std::string_view reproducible;
    bool pipelined = false;
};

std::span<const Technique> techniques();
bool is_of(const System& system, const Technique& technique);

}  // namespace dodona::exchange
