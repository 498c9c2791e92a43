// Applies the rules of a strategy to layers, in topological order.
#pragma once

#include <optional>
#include <vector>

#include "graph/graph.hpp"
#include "plan/limit.hpp"
#include "plan/mesh.hpp"
#include "plan/strategy.hpp"

namespace dodona::plan {

/// The atoms on which the loops of one layer are laid.
struct Assignment {
    AtomList loops;              ///< per loop
    const Rule* rule = nullptr;  ///< null: no rule matched
};

class RuleBook {
public:
    RuleBook(const Strategy& strategy, const Mesh& mesh);

    /// Domain: layers are assigned in topological order, since a rule whose `while` has failed ends for all later
    /// layers.
    Assignment assign(const graph::Layer& layer, std::vector<Limit>& limits);
    /// Adds the lays of Strategy::everywhere to the loops of a layer, but for atoms that are taken.
    void lay_everywhere(const graph::Layer& layer, Atoms taken, AtomList& loops) const;
    /// Atoms on which any rule lays the batch: ranks that differ in them hold different samples.
    [[nodiscard]] Atoms batch_atoms() const { return batch_; }
    /// Rules that have matched no layer so far.
    [[nodiscard]] std::vector<const Rule*> unused() const;
    /// The layer at which the `while` of a rule for this axis failed before the rule laid anything; none if there is
    /// none.
    [[nodiscard]] std::optional<LayerName> ended_at(const std::string& axis) const;

private:
    [[nodiscard]] static bool applies(const Rule& rule, const graph::Layer& layer);
    [[nodiscard]] bool holds(const Rule& rule, const graph::Layer& layer) const;

    const Strategy* strategy_;
    const Mesh* mesh_;
    Atoms batch_ = 0;
    std::vector<bool> over_;
    std::vector<const graph::Layer*> ended_at_;  ///< by rule; null: not ended, or only after it laid a layer
    std::vector<bool> laid_;                     ///< by rule: whether it laid layers other than network inputs
    std::vector<bool> used_;
};

/// Whether a match selects a layer.
bool matches(const Match& match, const graph::Layer& layer);

/// Whether `text` matches `pattern`; `*` stands for any characters.
bool matches_pattern(std::string_view text, std::string_view pattern);

}  // namespace dodona::plan
