#include "search/layer_choices.hpp"

namespace dodona::search {

namespace {

using plan::Lay;

constexpr std::string_view kBatch = "batch";

/// The loops that a rule can split. Of two loops with one name a rule finds the first.
std::vector<const graph::Loop*> loops_to_split(const graph::Nest& nest) {
    std::vector<const graph::Loop*> loops;
    for (std::size_t i = 0; i < nest.loops.size(); ++i) {
        const graph::Loop& loop = nest.loops[i];
        const bool first = nest.loop(loop.name) == static_cast<int>(i);
        const bool divides = loop.name == kBatch || loop.extent / loop.granule > 1;
        if (loop.can_split && first && divides) {
            loops.push_back(&loop);
        }
    }
    return loops;
}

bool may_split(const graph::Loop& loop, std::int64_t ways, std::int64_t samples) {
    return loop.name == kBatch ? samples % ways == 0 : ways <= loop.extent / loop.granule;
}

/// `on`: by axis the loop that it splits, or as many as there are loops.
std::vector<Lay> laid(const std::vector<const graph::Loop*>& loops, const std::vector<std::size_t>& on,
                      const Setting& setting) {
    std::vector<Lay> lays;
    for (std::size_t l = 0; l < loops.size(); ++l) {
        Lay lay{loops[l]->name, {}, {}};
        std::int64_t ways = 1;
        for (std::size_t a = 0; a < on.size(); ++a) {
            if (on[a] == l) {
                lay.axes.push_back(setting.axes[a]);
                ways *= setting.base.axis_size(setting.axes[a]);
            }
        }
        if (!lay.axes.empty()) {
            if (!may_split(*loops[l], ways, setting.samples())) {
                return {};
            }
            lays.push_back(std::move(lay));
        }
    }
    return lays;
}

}  // namespace

std::int64_t Setting::stages() const { return base.strategy.pipeline ? base.axis_size(*base.strategy.pipeline) : 1; }

std::vector<std::vector<Lay>> lays_of(const graph::Layer& layer, const Setting& setting) {
    const std::vector<const graph::Loop*> loops = loops_to_split(layer.nest);
    std::vector<std::vector<Lay>> found{{}};
    std::vector<std::size_t> on(setting.axes.size(), loops.size());
    const auto next = [&] {
        for (std::size_t& loop : on) {
            loop = loop == loops.size() ? 0 : loop + 1;
            if (loop < loops.size()) {
                return true;
            }
        }
        return false;
    };
    while (next()) {
        if (std::vector<Lay> lays = laid(loops, on, setting); !lays.empty()) {
            found.push_back(std::move(lays));
        }
    }
    return found;
}

std::string pattern_of(const std::string& layer) {
    std::string pattern;
    bool inside = false;
    for (const char c : layer) {
        inside = inside && c != ']';
        if (!inside) {
            pattern += c;
        }
        if (c == '[') {
            inside = true;
            pattern += '*';
        }
    }
    return pattern;
}

}  // namespace dodona::search
