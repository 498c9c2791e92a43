// A network, a plan and a flat machine, and what the derivation says travels: counted by hand, not by the oracle.
#pragma once

#include <cstdlib>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/check.hpp"
#include "files/library.hpp"
#include "files/strategy_file.hpp"
#include "graph/graph.hpp"
#include "step/segment_cost.hpp"
#include "step/stage_time.hpp"
#include "step/stages.hpp"
#include "step/state_sharding.hpp"

namespace dodona::derivation {

using namespace dodona::literals;
using cluster::Collective;
using plan::Phase;
using plan::Purpose;

inline files::Library library() {
    const char* root = std::getenv("DODONA_SOURCE");
    return files::Library(root == nullptr ? "." : root);
}

inline graph::NetworkSpec model(const std::string& name, const std::map<std::string, std::string>& values = {}) {
    std::vector<files::Setting> settings;
    for (const auto& [key, value] : values) {
        settings.push_back({key, value, {}});
    }
    return library().model(name, settings);
}

/// A strategy as a user writes it.
inline plan::Strategy strategy_of(const std::string& yaml) {
    return files::read_strategy(
        files::parse_document("strategy: written\nsource: a test\nsummary: a test\n" + yaml, "strategy.yaml"));
}

/// fp32, one micro-batch of one sample on every data rank, states sharded as the strategy says.
inline plan::Plan plan_of(plan::Strategy strategy, std::vector<plan::MeshAxis> mesh) {
    plan::Plan plan;
    plan.shard = strategy.shard.value_or(plan::ShardLevel::none);
    plan.strategy = std::move(strategy);
    plan.mesh = std::move(mesh);
    plan.precision = Precision::fp32;
    return plan;
}

inline plan::Plan plan_of(const std::string& strategy, std::vector<plan::MeshAxis> mesh) {
    return plan_of(library().strategy(strategy), std::move(mesh));
}

/// One ring of `ranks` devices whose memory is so fast that only matrix products take time.
inline cluster::Cluster flat_ring(std::int64_t ranks, Seconds alpha = 5_us, BytesPerSecond bandwidth = 10_GB_per_s) {
    cluster::Cluster cluster;
    cluster.name = "flat";
    cluster.device.name = "device";
    cluster.device.memory = 1_GiB;
    cluster.device.memory_bandwidth = 1e15_GB_per_s;
    cluster.device.matrix = {{Precision::fp32, 1.0_TFLOP_per_s}, {Precision::fp16, 1.0_TFLOP_per_s}};
    cluster.device.vector = 1e15_TFLOP_per_s;
    cluster.levels = {
        {.name = "ring", .size = ranks, .kind = cluster::LevelKind::ring, .bandwidth = bandwidth, .latency = alpha}};
    cluster.algorithms = {cluster::Algorithm::ring};
    return cluster;
}

/// Collectives of one kind: how many, their buffers together, and what one rank sends in all of them.
struct Tally {
    double count = 0;
    double bytes = 0;
    double sent = 0;
};

/// The head of VOLUMES: all-reduce 2 (p-1)/p n, all-gather, reduce-scatter, all-to-all (p-1)/p n, others n.
inline double sent_of(Collective collective, double p, double n) {
    switch (collective) {
        case Collective::all_reduce: return 2 * (p - 1) / p * n;
        case Collective::all_gather:
        case Collective::reduce_scatter:
        case Collective::all_to_all: return (p - 1) / p * n;
        case Collective::send:
        case Collective::halo: break;
    }
    return n;
}

class Derived {
public:
    Derived(const graph::NetworkSpec& spec, plan::Plan plan)
        : graph_(graph::build(spec)),
          plan_(std::move(plan)),
          cluster_(flat_ring(plan_.devices())),
          costed_(step::cost_graph(graph_, cluster_, plan_, {})) {}
    Derived(const Derived&) = delete;
    Derived& operator=(const Derived&) = delete;

    [[nodiscard]] const step::CostedGraph& costed() const { return costed_; }
    [[nodiscard]] const plan::Plan& plan() const { return plan_; }

    /// Collectives in one instance of a segment, one micro-batch; of one purpose if given.
    [[nodiscard]] Tally segment(const std::string& name, Phase phase, Collective collective,
                                std::optional<Purpose> purpose = std::nullopt) const {
        Tally tally;
        for (const step::TimedTransfer& t : costed_.segments[unit_index(name)].transfers) {
            if (t.what.phase == phase && t.what.transfer.collective == collective &&
                purpose.value_or(t.what.purpose) == t.what.purpose) {
                add(tally, collective, costed_.mesh.ways(t.what.transfer.atoms), t.size, t.count);
            }
        }
        return tally;
    }

    /// How many collectives of any kind a segment has in one phase.
    [[nodiscard]] double collectives(const std::string& name, Phase phase) const {
        double count = 0;
        for (const step::TimedTransfer& t : costed_.segments[unit_index(name)].transfers) {
            count += t.what.phase == phase ? t.count : 0;
        }
        return count;
    }

    /// What one rank sends in one micro-batch, all instances of all segments.
    [[nodiscard]] double sent_in_layers() const {
        double sent = 0;
        for (std::size_t u = 0; u < costed_.segments.size(); ++u) {
            for (const step::TimedTransfer& t : costed_.segments[u].transfers) {
                sent += t.count * static_cast<double>(graph_.segments[u].count) *
                        sent_of(t.what.transfer.collective,
                                static_cast<double>(costed_.mesh.ways(t.what.transfer.atoms)), t.size.in(1_B));
            }
        }
        return sent;
    }

    /// Pipeline stages; one without a pipeline.
    [[nodiscard]] std::vector<step::Stage> stages() const {
        const std::int64_t count = plan_.strategy.pipeline ? plan_.axis_size(*plan_.strategy.pipeline) : 1;
        return step::cut_stages(costed_, {schedule::Placement::loop, count, plan_.virtual_stages}, plan_.stages);
    }

    [[nodiscard]] std::vector<step::StateTransfer> states(std::int64_t microbatches = 1, std::size_t stage = 0) const {
        return step::stage_states(costed_, plan_, stages().at(stage), microbatches).transfers;
    }

    /// Collectives on weights and their gradients in one step.
    [[nodiscard]] Tally state(Collective collective, std::int64_t microbatches = 1, std::size_t stage = 0) const {
        Tally tally;
        for (const step::StateTransfer& t : states(microbatches, stage)) {
            if (t.collective == collective) {
                add(tally, collective, costed_.mesh.ways(t.atoms), t.size, t.per_step);
            }
        }
        return tally;
    }

    [[nodiscard]] double sent_for_states() const {
        double sent = 0;
        for (const step::StateTransfer& t : states()) {
            sent += t.per_step * sent_of(t.collective, static_cast<double>(costed_.mesh.ways(t.atoms)), t.size.in(1_B));
        }
        return sent;
    }

private:
    [[nodiscard]] std::size_t unit_index(const std::string& name) const {
        for (std::size_t u = 0; u < graph_.segments.size(); ++u) {
            if (graph_.segments[u].name == name) {
                return u;
            }
        }
        throw InternalError("no segment " + name);
    }

    static void add(Tally& tally, Collective collective, std::int64_t ranks, Bytes size, double count) {
        tally.count += count;
        tally.bytes += count * size.in(1_B);
        tally.sent += count * sent_of(collective, static_cast<double>(ranks), size.in(1_B));
    }

    graph::Graph graph_;
    plan::Plan plan_;
    cluster::Cluster cluster_;
    step::CostedGraph costed_;
};

/// `count` collectives whose buffers hold `bytes` together, of which a rank sends `sent`.
inline void expect(const Tally& tally, double count, double bytes, double sent) {
    EXPECT_EQ(tally.count, count);
    EXPECT_DOUBLE_EQ(tally.bytes, bytes);
    EXPECT_DOUBLE_EQ(tally.sent, sent);
}

inline void expect_none(const Tally& tally) { expect(tally, 0, 0, 0); }

}  // namespace dodona::derivation
