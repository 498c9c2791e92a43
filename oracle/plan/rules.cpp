#include "plan/rules.hpp"

#include <algorithm>

#include "base/ranges.hpp"
#include "plan/operands.hpp"

namespace dodona::plan {

using graph::kNoLoop;
using graph::Layer;
using graph::Loop;

bool matches_pattern(std::string_view text, std::string_view pattern) {
    const std::size_t star = pattern.find('*');
    if (star == std::string_view::npos) {
        return text == pattern;
    }
    if (!text.starts_with(pattern.substr(0, star))) {
        return false;
    }
    text.remove_prefix(star);
    pattern.remove_prefix(star);
    // A text between two stars is taken where it comes first.
    for (std::size_t next = pattern.find('*', 1); next != std::string_view::npos; next = pattern.find('*', 1)) {
        const std::string_view part = pattern.substr(1, next - 1);
        const std::size_t found = text.find(part);
        if (found == std::string_view::npos) {
            return false;
        }
        text.remove_prefix(found + part.size());
        pattern.remove_prefix(next);
    }
    return text.ends_with(pattern.substr(1));
}

namespace {

/// The loop of that name; kNoLoop if the layer has none or it cannot be split.
int splittable(const Layer& layer, const std::string& dimension) {
    const int loop = layer.nest.loop(dimension);
    return loop != kNoLoop && layer.nest.loops[static_cast<std::size_t>(loop)].can_split ? loop : kNoLoop;
}

/// Extent of a window along a loop, in positions of the loop: the span of a window on an input, or the inputs that
/// contribute to one output of a window on the result. 1 without a window.
graph::Extent window_span(const Layer& layer, int loop) {
    const auto window_on = [loop](const graph::Operand& operand) {
        const std::optional<std::size_t> dimension = dimension_of(operand, loop);
        return dimension ? window_of(operand, *dimension) : nullptr;
    };
    for (const graph::Operand& input : layer.nest.inputs) {
        if (const graph::Window* window = window_on(input)) {
            return window->span();
        }
    }
    const graph::Window* window = window_on(layer.nest.output);
    return window == nullptr ? 1 : (window->span() + window->stride - 1) / window->stride;
}

void check_ways(const Layer& layer, const Loop& loop, std::int64_t ways, std::vector<Limit>& limits) {
    if ((ways == 1 && loop.extent >= loop.granule) || loop.name == "batch" || loop.replicates) {
        return;
    }
    const auto pieces = loop.extent / loop.granule;
    if (ways > pieces) {
        limits.push_back({LoopLimit{loop.name, pieces, {layer.name, layer.kind}}, ways});
    } else if (pieces % ways != 0) {
        limits.push_back({UnevenLoop{loop.name, pieces, {layer.name, layer.kind}}, ways});
    }
}

}  // namespace

RuleBook::RuleBook(const Strategy& strategy, const Mesh& mesh)
    : strategy_(&strategy),
      mesh_(&mesh),
      over_(strategy.rules.size()),
      ended_at_(strategy.rules.size()),
      laid_(strategy.rules.size()),
      used_(strategy.rules.size()) {
    const auto note_batch = [this](const std::vector<Lay>& lays) {
        for (const Lay& lay : lays) {
            if (lay.dimension == "batch") {
                batch_ |= mesh_->axes(lay.axes);
            }
        }
    };
    note_batch(strategy.everywhere);
    for (const Rule& rule : strategy.rules) {
        note_batch(rule.lay);
    }
}

bool matches(const Match& match, const Layer& layer) {
    if (!match.kinds.empty() && !contains(match.kinds, layer.kind)) {
        return false;
    }
    if (!match.roles.empty() && !contains(match.roles, layer.role)) {
        return false;
    }
    if (match.first && *match.first == layer.input_gradient) {
        return false;
    }
    const bool named = std::any_of(match.names.begin(), match.names.end(),
                                   [&](const std::string& pattern) { return matches_pattern(layer.name, pattern); });
    return match.names.empty() || named;
}

bool RuleBook::applies(const Rule& rule, const Layer& layer) {
    if (!matches(rule.match, layer)) {
        return false;
    }
    // A rule applies only to layers with one of its dimensions; others are left to later rules.
    return rule.lay.empty() || std::any_of(rule.lay.begin(), rule.lay.end(),
                                           [&](const Lay& lay) { return splittable(layer, lay.dimension) != kNoLoop; });
}

bool RuleBook::holds(const Rule& rule, const Layer& layer) const {
    if (!rule.condition) {
        return true;
    }
    for (const Lay& lay : rule.lay) {
        const int loop = splittable(layer, lay.dimension);
        if (loop == kNoLoop) {
            continue;
        }
        const auto extent = static_cast<double>(layer.nest.loops[static_cast<std::size_t>(loop)].extent);
        const auto ways = static_cast<double>(mesh_->ways(mesh_->axes(lay.axes)));
        const auto window = static_cast<double>(window_span(layer, loop));
        const auto lookup = [&](std::string_view name) -> std::optional<double> {
            if (name == "extent") {
                return extent;
            }
            if (name == "ways") {
                return ways;
            }
            if (name == "window") {
                return window;
            }
            return std::nullopt;
        };
        if (rule.condition->evaluate(lookup) == 0.0) {
            return false;
        }
    }
    return true;
}

void RuleBook::lay_everywhere(const Layer& layer, Atoms taken, AtomList& loops) const {
    for (const Lay& lay : strategy_->everywhere) {
        const int loop = splittable(layer, lay.dimension);
        if (loop != kNoLoop) {
            loops[static_cast<std::size_t>(loop)] |= mesh_->axes(lay.axes) & ~taken;
        }
    }
}

Assignment RuleBook::assign(const Layer& layer, std::vector<Limit>& limits) {
    Assignment assignment;
    assignment.loops.assign(layer.nest.loops.size(), 0);
    for (std::size_t i = 0; i < strategy_->rules.size(); ++i) {
        const Rule& rule = strategy_->rules[i];
        if (over_[i] || !applies(rule, layer)) {
            continue;
        }
        if (!holds(rule, layer)) {
            over_[i] = true;
            ended_at_[i] = laid_[i] ? nullptr : &layer;
            continue;
        }
        assignment.rule = &rule;
        used_[i] = true;
        laid_[i] = !layer.nest.inputs.empty();  // what the network reads comes first
        break;
    }
    Atoms taken = 0;
    if (assignment.rule != nullptr) {
        for (const Lay& lay : assignment.rule->lay) {
            const int loop = splittable(layer, lay.dimension);
            if (loop != kNoLoop) {
                const Atoms atoms = mesh_->axes(lay.axes) & ~taken;
                assignment.loops[static_cast<std::size_t>(loop)] |= atoms;
                taken |= atoms;
            }
        }
    }
    lay_everywhere(layer, taken, assignment.loops);
    for (std::size_t i = 0; i < assignment.loops.size(); ++i) {
        check_ways(layer, layer.nest.loops[i], mesh_->ways(assignment.loops[i]), limits);
    }
    return assignment;
}

std::vector<const Rule*> RuleBook::unused() const {
    std::vector<const Rule*> rules;
    for (std::size_t i = 0; i < used_.size(); ++i) {
        if (!used_[i]) {
            rules.push_back(&strategy_->rules[i]);
        }
    }
    return rules;
}

std::optional<LayerName> RuleBook::ended_at(const std::string& axis) const {
    for (std::size_t i = 0; i < over_.size(); ++i) {
        const graph::Layer* layer = ended_at_[i];
        const std::vector<Lay>& lays = strategy_->rules[i].lay;
        const bool lays_it = layer != nullptr && std::any_of(lays.begin(), lays.end(), [&](const Lay& lay) {
                                 return contains(lay.axes, axis) && splittable(*layer, lay.dimension) != kNoLoop;
                             });
        if (lays_it) {
            return LayerName{layer->name, layer->kind};
        }
    }
    return std::nullopt;
}

}  // namespace dodona::plan
