// What attention computes on one device: pairs of queries and keys, and the kernels over them.
#pragma once

#include <span>

#include "graph/attributes.hpp"
#include "graph/nest.hpp"

namespace dodona::graph {

/// Loops that count heads, queries and keys, and what does not depend on the shard.
struct AttentionShape {
    int head = 0, query = 0, key = 0;
    double queries = 1;      ///< of a whole sample
    double keys = 1;         ///< of a whole sample; what is more than the queries comes before them
    double key_size = 0;     ///< features of a head's query and key
    double shared_size = 0;  ///< of them, features of the key that all heads share
    double value_size = 0;   ///< features of a head's value and output
    double key_share = 1;    ///< key/value heads per head
    double window = 0;       ///< keys that a query sees at most; 0: all
    double documents = 1;    ///< packed into a sample, of equal length; queries see their own document only
    double width = 0;        ///< features of the model, for relative positions; 0: none
    double rows = 0;         ///< of distances, whose products with queries and keys are added; 0: none
    double rows_width = 0;   ///< features of such a row
    double grid = 0;         ///< side of the square whose rows and columns have learned positions; 0: none
    bool causal = false;
    bool dropout = false;
    bool distances = false;  ///< scores of distances are added
    bool looks_up = false;   ///< and looked up here
};

/// Pairs of a query and a key that the mask leaves, for one head of one sample on the device with most of them. A
/// causal mask needs half the square (the diagonal counts half).
///
/// Where queries are split in contiguous shards the last one has most keys: of p shards 2 - 1/p times the mean.
double attention_pairs(const LocalExtents& local, const AttentionShape& shape);

/// Scores and probabilities in memory, on the full square.
Work materialised_attention(const LocalExtents& local, const AttentionShape& shape);
/// Its forward kernels that selective recomputation repeats.
std::vector<Kernel> materialised_attention_forward(const LocalExtents& local, const AttentionShape& shape);

/// Everything on the chip, masked blocks skipped.
Work fused_attention(const LocalExtents& local, const AttentionShape& shape);

/// Adds to a nest of attention the indexer that chooses its keys (indexer.cpp). `inputs`: its queries, its key, its weights.
void add_indexer(Attributes& attributes, std::span<const Tensor> inputs, Extent heads, const AttentionShape& attention,
                 Nest& nest);

}  // namespace dodona::graph
