// An engine that generates: one copy of a network on `tensor` devices. What a prompt, a token and its keys and values cost.
//
//   prefill  = t(c samples of p tokens) / c                    a forward pass, c the least so that c p >= kPrefillTokens
//   decode(n, K) = t(n samples of 1 token) + n kappa(K) / bandwidth
//   kappa(K) = sum over attentions of  cache * min(K, w)        bytes of a sequence of K tokens on one device
//
// t: the same kernels and collectives as in training, forward only, without a framework; products of few rows are bound
// by the bytes of the weights. Products of experts take 1 - (1 - d)^tokens of that, as the others are not read: d experts
// of a token over all experts, as likely one as another. n: sequences that are decoded together; w: keys that a query
// sees at most. An attention keeps the tensors that its keys index, as its tensor shards hold them (key/value heads that
// are fewer than the shards are repeated); where keys and values come from one narrower latent tensor next to a part
// that all heads share, that and the part (DeepSeek-AI, arXiv:2405.04434, section 2.1.2).
// Domain: networks that attend causally; attention is bound by the bytes that it reads.
// Not modelled: the engine's own time between steps (scheduling, sampling, detokenising), draft tokens, states of
// recurrent layers and linear attention, products of absorbed latent projections, caches of fewer bits.
// Sources: Kwon et al., arXiv:2309.06180 (keys and values in blocks, sequences joined at every step).
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/estimate.hpp"
#include "base/precision.hpp"
#include "cluster/cluster.hpp"
#include "graph/graph.hpp"
#include "plan/strategy.hpp"

namespace dodona::generation {

/// Tokens of a prefill pass. Source: volcengine/verl: verl/trainer/config/rollout/rollout.yaml, max_num_batched_tokens.
inline constexpr double kPrefillTokens = 8192;

/// One network, read with samples of several lengths.
struct EngineNetworks {
    graph::Graph token;    ///< one token
    graph::Graph prompt;   ///< a prompt
    graph::Graph longest;  ///< a prompt with its longest answer
    double prompt_tokens = 1;
    double longest_tokens = 1;
};

struct EngineSettings {
    plan::Strategy strategy;  ///< with an axis `tensor`
    Precision precision = Precision::bf16;
    std::int64_t tensor = 1;
    std::int64_t sequences = 1;  ///< decoded together at most
};

/// Bytes that attentions of one window keep of a position on one device, all together.
struct CachePart {
    Bytes position;
    double window = 0;  ///< positions that are kept at most
};

/// A token each of so many sequences, without reading the cache.
struct DecodePass {
    double sequences = 1;
    Estimate time;
};

/// All that an engine's times and memory follow from, on one device.
struct EngineCosts {
    std::int64_t tensor = 1;
    Bytes weights;  ///< as products read them
    std::vector<CachePart> cache;
    Estimate prefill;                ///< of one prompt among others
    std::vector<DecodePass> passes;  ///< by rising numbers of sequences; one at least
    Estimate byte;                   ///< to read one
};

class Engine {
public:
    explicit Engine(EngineCosts costs) : costs_(std::move(costs)) {}
    /// None where the network does not divide among so many devices.
    static std::optional<Engine> of(const EngineNetworks& networks, const cluster::Cluster& cluster,
                                    const EngineSettings& settings);

    [[nodiscard]] std::int64_t tensor() const { return costs_.tensor; }
    [[nodiscard]] Bytes weights() const { return costs_.weights; }
    [[nodiscard]] Estimate prefill() const { return costs_.prefill; }
    /// Bytes of a sequence of that many tokens on one device.
    [[nodiscard]] Bytes cache(double tokens) const;
    /// A token each of so many sequences that are `tokens` long on average; beyond the last pass as many times that.
    [[nodiscard]] Estimate decode(double sequences, double tokens) const;

private:
    EngineCosts costs_;
};

}  // namespace dodona::generation
