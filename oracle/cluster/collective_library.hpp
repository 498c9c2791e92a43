// Communication libraries and the algorithms that they choose from: one row for each library and collective.
//
// Send and halo are `direct` with every library and have no row. What a library runs and the rows leave out:
//
//   nccl   PAT (all-gather and reduce-scatter of one rank a node, since 2.23). `tree` and `double-tree` are its Tree,
//          `in-network` its NVLS and CollNet, which need levels with `in_network`; `hierarchical` its NVLSTree and
//          CollNetChain, which go through the node first. All-gathers and reduce-scatters over nodes are rings unless
//          all levels reduce.
//          Source: NVIDIA, NCCL user guide, environment variables, NCCL_ALGO; NVIDIA/nccl: src/enqueue.cc,
//          updateCollCostTable ("now we only support single-node NVLS allgather and reducescatter")
//   deepep NCCL's, and all-to-alls of experts that send a token to a node once.
//          Source: deepseek-ai/DeepEP, README.md, normal kernels
//   gloo   halving-doubling and bcube: as many bytes as a ring in fewer steps.
//          Source: Gloo, docs/algorithms.md
//   mpi    recursive doubling and Rabenseifner's algorithm for an all-reduce, Bruck's for an all-gather: `tree` stands
//          for short messages, `ring` for long ones.
//          Source: Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005, sections 4 and 5
#pragma once

#include <array>
#include <span>

#include "base/enumeration.hpp"
#include "cluster/algorithm.hpp"
#include "cluster/link.hpp"

namespace dodona::cluster {

enum class CollectiveLibrary { nccl, gloo, mpi, deepep };

inline constexpr std::array kCollectiveLibraryTable{
    Enumerator(CollectiveLibrary::nccl, "nccl", "NVIDIA's library for GPUs"),
    Enumerator(CollectiveLibrary::gloo, "gloo", "the library of PyTorch for CPUs"),
    Enumerator(CollectiveLibrary::mpi, "mpi", "MPICH and what follows it"),
    Enumerator(CollectiveLibrary::deepep, "deepep", "NCCL, with DeepEP for the all-to-alls of experts")};
constexpr const auto& enumerators(CollectiveLibrary /*type*/) { return kCollectiveLibraryTable; }
inline constexpr std::array kCollectiveLibraries = values_of(kCollectiveLibraryTable);
constexpr std::string_view name(CollectiveLibrary library) { return name_of(library); }

/// Whether messages are cut into chunks, each of which goes on as soon as it has come.
constexpr bool sends_chunks(CollectiveLibrary library) {
    return library == CollectiveLibrary::nccl || library == CollectiveLibrary::deepep;
}

struct LibraryAlgorithms {
    CollectiveLibrary library;
    Collective collective;
    std::span<const Algorithm> algorithms;
};

inline constexpr std::array kRing{Algorithm::ring};
inline constexpr std::array kRingOrTree{Algorithm::ring, Algorithm::tree};
inline constexpr std::array kNcclReduce{Algorithm::ring, Algorithm::tree, Algorithm::double_tree,
                                        Algorithm::hierarchical, Algorithm::in_network};
inline constexpr std::array kNcclPass{Algorithm::ring, Algorithm::in_network};

inline constexpr std::array kDirect{Algorithm::direct};
inline constexpr std::array kRouted{Algorithm::hierarchical, Algorithm::direct};

inline constexpr std::array kLibraryAlgorithms{
    LibraryAlgorithms{CollectiveLibrary::nccl, Collective::all_reduce, kNcclReduce},
    LibraryAlgorithms{CollectiveLibrary::nccl, Collective::all_gather, kNcclPass},
    LibraryAlgorithms{CollectiveLibrary::nccl, Collective::reduce_scatter, kNcclPass},
    LibraryAlgorithms{CollectiveLibrary::nccl, Collective::all_to_all, kDirect},
    LibraryAlgorithms{CollectiveLibrary::gloo, Collective::all_reduce, kRing},
    LibraryAlgorithms{CollectiveLibrary::gloo, Collective::all_gather, kRing},
    LibraryAlgorithms{CollectiveLibrary::gloo, Collective::reduce_scatter, kRing},
    LibraryAlgorithms{CollectiveLibrary::gloo, Collective::all_to_all, kDirect},
    LibraryAlgorithms{CollectiveLibrary::mpi, Collective::all_reduce, kRingOrTree},
    LibraryAlgorithms{CollectiveLibrary::mpi, Collective::all_gather, kRing},
    LibraryAlgorithms{CollectiveLibrary::mpi, Collective::reduce_scatter, kRing},
    LibraryAlgorithms{CollectiveLibrary::mpi, Collective::all_to_all, kDirect},
    LibraryAlgorithms{CollectiveLibrary::deepep, Collective::all_reduce, kNcclReduce},
    LibraryAlgorithms{CollectiveLibrary::deepep, Collective::all_gather, kNcclPass},
    LibraryAlgorithms{CollectiveLibrary::deepep, Collective::reduce_scatter, kNcclPass},
    LibraryAlgorithms{CollectiveLibrary::deepep, Collective::all_to_all, kRouted},
};

/// What a library chooses from for a collective; empty for those without a row.
constexpr std::span<const Algorithm> algorithms_of(CollectiveLibrary library, Collective collective) {
    for (const LibraryAlgorithms& row : kLibraryAlgorithms) {
        if (row.library == library && row.collective == collective) {
            return row.algorithms;
        }
    }
    return {};
}

}  // namespace dodona::cluster
