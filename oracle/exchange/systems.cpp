#include "exchange/systems.hpp"

#include <array>

namespace dodona::exchange {

namespace {

constexpr std::string_view kTaxonomy = "Langer et al., arXiv:2007.03970, Table 1";

constexpr std::array kSystems{
    System{"bigdl", "data", "central", "synchronous", "scatter-reduce", "distributed servers, k = n",
           "parameter-servers", kTaxonomy},
    System{"caffe-on-spark", "data", "central", "synchronous", "scatter-reduce", "distributed servers, k = n",
           "parameter-servers", kTaxonomy},
    System{"cots-hpc", "model", "central", "synchronous", "none", "distributed array", "", kTaxonomy},
    System{"d-psgd", "data", "decentral", "synchronous", "2:1 reduce", "closed ring", "d-psgd", kTaxonomy},
    System{"distbelief", "model and data", "central", "asynchronous", "ad hoc", "distributed servers",
           "async-parameter-servers", kTaxonomy},
    System{"easgd", "data", "decentral", "asynchronous", "ad hoc", "single master", "easgd", kTaxonomy},
    System{"firecaffe", "data", "central", "synchronous", "binomial tree", "single server", "binomial-tree", kTaxonomy},
    System{"gosgd", "data", "decentral", "soft-bounded asynchronous", "ad hoc", "peer-to-peer mesh", "gosgd",
           kTaxonomy},
    System{"mpca-sgd", "data", "decentral", "soft-bounded asynchronous", "binomial tree", "dedicated master",
           "mpca-sgd", kTaxonomy},
    System{"mxnet", "model and data", "central", "bounded asynchronous", "scatter-reduce; asynchronous: ad hoc",
           "distributed servers, k = n by default", "bounded-parameter-servers", kTaxonomy},
    System{"parameter-server", "model and data", "central", "bounded asynchronous", "reduce; asynchronous: ad hoc",
           "distributed servers", "bounded-parameter-servers", kTaxonomy},
    System{"petuum", "model and data", "central", "bounded asynchronous", "ad hoc, eager scatter",
           "distributed servers", "bounded-parameter-servers", kTaxonomy},
    System{"project-adam", "model and data", "central", "asynchronous", "ad hoc", "distributed servers",
           "async-parameter-servers", kTaxonomy},
    System{"pytorch", "model and data", "central", "synchronous", "all-reduce", "single or replicated server",
           "all-reduce", kTaxonomy},
    System{"sparknet", "data", "decentral", "synchronous", "reduce", "dedicated master", "sparknet", kTaxonomy},
    System{"tensorflow", "model and data", "central", "bounded asynchronous",
           "scatter or all-reduce; asynchronous: ad hoc", "distributed servers, k = n by default",
           "bounded-parameter-servers", kTaxonomy},
    System{"tree-easgd", "data", "decentral", "bounded asynchronous", "ad hoc", "tree", "tree-easgd", kTaxonomy},
    System{"paradl", "model and data", "central", "synchronous", "all-reduce", "ring", "ring-all-reduce",
           "Kahira et al., HPDC 2021 (arXiv:2104.09075)", false},
    System{"fast", "data", "decentral", "synchronous", "gradients to all neighbours", "closed ring or torus",
           "fast-torus", "GitHub: paoloviviani/FAST", false},
    System{"mlsl", "model and data", "central", "synchronous", "all-reduce by priority", "groups of nodes",
           "mlsl-priority", "intel/MLSL: Developer Guide", false},
    System{"zion", "model and data", "central", "synchronous", "all-reduce, all-to-all of embeddings", "switched",
           "all-reduce", "Mudigere et al., arXiv:2104.05158", false},
    System{"ffn-horovod", "data", "central", "synchronous", "all-reduce", "ring", "ring-all-reduce",
           "GitHub: wushidonguc/distributed_ffn", false},
    System{"ffn", "data", "central", "asynchronous", "ad hoc", "parameter servers", "async-parameter-servers",
           "GitHub: google/ffn", false},
    System{"hitop-k", "data", "central", "synchronous", "hierarchical sparse all-gather", "groups of nodes", "hitop-k",
           "Shi et al., arXiv:2010.10458", false},
};

constexpr std::array kTechniques{
    Technique{"model parallelism", "model", "", "", false, true, "higher", 1, 3, 1, "trivial"},
    Technique{"pipelined model parallelism", "model", "", "", false, true, "lower", 2, 4, 2, "medium", true},
    Technique{"central, synchronous", "data", "central", "synchronous", false, false, "higher", 1, 1, 1, "easy"},
    Technique{"central, asynchronous", "data", "central", "asynchronous", true, false, "lower", 3, 2, 3, "hard"},
    Technique{"decentral, synchronous", "data", "decentral", "synchronous", true, false, "likely higher", 1, 2, 2,
              "easy"},
    Technique{"decentral, asynchronous", "data", "decentral", "asynchronous", true, false, "lower", 2, 3, 3, "hard"},
};

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

}  // namespace

std::span<const System> systems() { return kSystems; }

std::span<const Technique> techniques() { return kTechniques; }

/// Systems do not say whether they pipeline. Bounded scheduling is asynchronous.
bool is_of(const System& system, const Technique& technique) {
    const bool asynchronous = has(system.scheduling, "asynchronous");
    return !technique.pipelined && has(system.parallelism, technique.parallelism) &&
           (technique.parallelism == "model" || (system.optimisation == technique.optimisation &&
                                                 asynchronous == (technique.scheduling == "asynchronous")));
}

}  // namespace dodona::exchange
