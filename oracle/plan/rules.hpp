// Applies the rules of a strategy to layers, in topological order.
#pragma once

#include <optional>
#include <vector>

#include "graph/graph.hpp"
#include "plan/limit.hpp"
#include "plan/mesh.hpp"
#include "plan/strategy.hpp"

namespace dodona::plan {

/// How the loops of one layer lie on the mesh.
struct Assignment {
    std::vector<Atoms> loops;    ///< per loop
    const Rule* rule = nullptr;  ///< null: no rule matched
};

class RuleBook {
public:
    RuleBook(const Strategy& strategy, const Mesh& mesh);

    /// Layers must come in topological order: a rule whose `while` has failed is over for all later layers.
    Assignment assign(const graph::Layer& layer, std::vector<Limit>& limits);
    /// Only what the strategy lays everywhere.
    [[nodiscard]] std::vector<Atoms> everywhere(const graph::Layer& layer) const;
    /// Ranks that hold different samples: all atoms that any rule lays the batch on.
    [[nodiscard]] Atoms batch_atoms() const { return batch_; }
    /// Rules that matched no layer so far.
    [[nodiscard]] std::vector<const Rule*> unused() const;
    /// The layer at which the `while` of a rule that would have laid this axis failed before it laid anything.
    [[nodiscard]] std::optional<LayerName> ended_at(const std::string& axis) const;

private:
    [[nodiscard]] static bool applies(const Rule& rule, const graph::Layer& layer);
    [[nodiscard]] bool holds(const Rule& rule, const graph::Layer& layer) const;

    const Strategy* strategy_;
    const Mesh* mesh_;
    Atoms batch_ = 0;
    std::vector<bool> over_;
    std::vector<const graph::Layer*> ended_at_;  ///< by rule; null: not ended, or not before it laid a layer
    std::vector<bool> laid_;                     ///< by rule, whether it laid more than samples as they are read
    std::vector<bool> used_;
};

/// Whether a layer is among those that a match is about.
bool matches(const Match& match, const graph::Layer& layer);

/// Whether `text` matches `pattern`, where `*` stands for any run of characters.
bool matches_pattern(std::string_view text, std::string_view pattern);

}  // namespace dodona::plan
