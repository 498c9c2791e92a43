#include "threads/prediction.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "base/ranges.hpp"

namespace dodona::threads {

namespace {

/// Operators by depth, and their times at every setting that was asked for.
class Player {
public:
    Player(const OperatorGraph& graph, const std::vector<OperatorWork>& works, const ThreadCosts& costs)
        : graph_(graph), works_(works), costs_(costs), order_(graph.operators.size()), widths_(graph.widths()) {
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        const std::vector<std::size_t> depths = graph.depths();
        stable_sort(order_, [&](std::size_t a, std::size_t b) { return depths[a] < depths[b]; });
        starts_.push_back(0);
        for (const std::int64_t width : widths_) {
            starts_.push_back(starts_.back() + static_cast<std::size_t>(width));
        }
    }

    [[nodiscard]] const std::vector<std::int64_t>& widths() const { return widths_; }
    [[nodiscard]] Played all(Setting setting) const { return played(0, widths_.size(), setting); }

    /// The operators of some depths.
    [[nodiscard]] Seconds time(std::size_t from, std::size_t to, Setting setting) const {
        return played(from, to, setting).time;
    }

private:
    [[nodiscard]] Played played(std::size_t from, std::size_t to, Setting setting) const {
        const Part part{starts_[from], starts_[to]};
        const auto operators = static_cast<std::int64_t>(part.to - part.from);
        const std::int64_t most = std::min(setting.workers, operators);
        std::vector<std::vector<Seconds>> times(static_cast<std::size_t>(most));
        const auto time_of = [&](std::size_t kind, std::int64_t active) {
            std::vector<Seconds>& known = times[static_cast<std::size_t>(active) - 1];
            if (known.empty()) {
                for (const OperatorWork& work : works_) {
                    known.push_back(operator_time(work, costs_, setting.threads, active));
                }
            }
            return known[kind];
        };
        return list_schedule(graph_, order_, part, most, time_of);
    }

    const OperatorGraph& graph_;
    const std::vector<OperatorWork>& works_;
    const ThreadCosts& costs_;
    std::vector<std::size_t> order_;  ///< by depth
    std::vector<std::int64_t> widths_;
    std::vector<std::size_t> starts_;  ///< of each depth in `order_`
};

/// All settings, k first. Workers that never have anything to do change nothing.
std::vector<Timed> grid(const Player& player, std::int64_t most) {
    std::vector<Timed> all(static_cast<std::size_t>(most * most));
    for (std::int64_t threads = 1; threads <= most; ++threads) {
        Played played;
        for (std::int64_t workers = 1; workers <= most; ++workers) {
            const Setting setting{workers, threads};
            if (workers == 1 || played.busiest == workers - 1) {
                played = player.all(setting);
            }
            all[static_cast<std::size_t>((workers - 1) * most + threads - 1)] = {setting, played.time};
        }
    }
    return all;
}

/// Depths of equal width, one after the other.
std::vector<Section> equal_depths(const std::vector<std::int64_t>& widths) {
    std::vector<Section> sections;
    for (const std::int64_t width : widths) {
        if (sections.empty() || sections.back().widest != width) {
            sections.push_back({.depths = 0, .narrowest = width, .widest = width});
        }
        ++sections.back().depths;
    }
    return sections;
}

std::vector<Setting> candidates(const std::vector<Section>& sections, const Setting& fixed, std::int64_t cores) {
    std::vector<Setting> all{fixed};
    std::set<std::int64_t> widths;
    for (const Section& section : sections) {
        widths.insert(section.widest);
    }
    for (const std::int64_t width : widths) {
        const Setting one = guideline(static_cast<double>(width), cores);
        if (std::find(all.begin(), all.end(), one) == all.end()) {
            all.push_back(one);
        }
    }
    return all;
}

/// The settings of all sections with the shortest sum of times and changes: of each section and setting the best before.
void choose(std::vector<Section>& sections, const Player& player, const std::vector<Setting>& settings,
            Seconds change) {
    std::vector<Seconds> sums(settings.size());
    std::vector<std::vector<std::size_t>> from;
    std::size_t depth = 0;
    for (const Section& section : sections) {
        const auto best = static_cast<std::size_t>(std::min_element(sums.begin(), sums.end()) - sums.begin());
        std::vector<Seconds> next;
        from.emplace_back();
        for (std::size_t i = 0; i < settings.size(); ++i) {
            const bool changes = from.size() > 1 && sums[best] + change < sums[i];
            from.back().push_back(changes ? best : i);
            next.push_back((changes ? sums[best] + change : sums[i]) +
                           player.time(depth, depth + section.depths, settings[i]));
        }
        sums = std::move(next);
        depth += section.depths;
    }
    auto chosen = static_cast<std::size_t>(std::min_element(sums.begin(), sums.end()) - sums.begin());
    for (std::size_t i = sections.size(); i-- > 0;) {
        sections[i].setting = settings[chosen];
        chosen = from[i][chosen];
    }
}

/// Neighbours with one setting run as one: nobody waits between them.
std::vector<Section> merged(const std::vector<Section>& sections, const Player& player) {
    std::vector<Section> all;
    std::size_t depth = 0;
    for (const Section& section : sections) {
        if (all.empty() || all.back().setting != section.setting) {
            all.push_back(section);
            continue;
        }
        all.back().depths += section.depths;
        all.back().narrowest = std::min(all.back().narrowest, section.narrowest);
        all.back().widest = std::max(all.back().widest, section.widest);
    }
    for (Section& section : all) {
        section.time = player.time(depth, depth + section.depths, section.setting);
        depth += section.depths;
    }
    return all;
}

void tune_sections(Prediction& answer, const Player& player, const ThreadCosts& costs) {
    std::vector<Section> sections = equal_depths(player.widths());
    choose(sections, player, candidates(sections, answer.fixed.setting, costs.cores), costs.change);
    answer.sections = merged(sections, player);
    answer.dynamic = static_cast<double>(answer.sections.size() - 1) * costs.change;
    for (const Section& section : answer.sections) {
        answer.dynamic += section.time;
    }
    if (answer.fixed.time < answer.dynamic) {
        const auto [narrowest, widest] = std::minmax_element(player.widths().begin(), player.widths().end());
        answer.sections = {{.depths = answer.depths,
                            .narrowest = *narrowest,
                            .widest = *widest,
                            .setting = answer.fixed.setting,
                            .time = answer.fixed.time}};
        answer.dynamic = answer.fixed.time;
    }
}

}  // namespace

Setting guideline(double average_width, std::int64_t cores) {
    const std::int64_t workers = std::clamp<std::int64_t>(std::llround(average_width), 1, cores);
    return {workers, std::max<std::int64_t>(1, cores / workers)};
}

Seconds Prediction::time(Tuning tuning) const {
    switch (tuning) {
        case Tuning::none: return none.time;
        case Tuning::fixed: return fixed.time;
        case Tuning::dynamic: return dynamic;
        case Tuning::guideline: return guideline.time;
    }
    return {};
}

double Prediction::beaten(Seconds time, bool within, std::int64_t cores) const {
    double all = 0;
    double slower = 0;
    for (const Timed& one : grid) {
        if (!within || one.setting.workers * one.setting.threads <= cores) {
            all += 1;
            slower += one.time > time ? 1 : 0;
        }
    }
    return slower / all;
}

std::vector<OperatorWork> works_of(const cluster::Device& device, const OperatorGraph& graph, Precision precision,
                                   std::int64_t cores) {
    return mapped<OperatorWork>(
        graph.kinds, [&](const OperatorKind& kind) { return work_of(device, kind.kernels, precision, cores); });
}

Prediction predict(const OperatorGraph& graph, const std::vector<OperatorWork>& works, const ThreadCosts& costs,
                   std::int64_t most) {
    const Player player(graph, works, costs);
    Prediction answer{.operators = graph.operators.size(),
                      .depths = player.widths().size(),
                      .widest = *std::max_element(player.widths().begin(), player.widths().end()),
                      .average_width = graph.average_width()};
    answer.most = std::max(most, costs.cores);
    answer.grid = grid(player, answer.most);
    answer.fixed = answer.chain = answer.grid.front();
    for (const Timed& one : answer.grid) {
        const bool within = one.setting.workers * one.setting.threads <= costs.cores;
        if (within && one.time < answer.fixed.time) {
            answer.fixed = one;
        }
        if (one.setting.workers == 1 && one.time < answer.chain.time) {
            answer.chain = one;
        }
    }
    answer.none = answer.grid[static_cast<std::size_t>((costs.cores - 1) * answer.most + costs.cores - 1)];
    const Setting rule = guideline(answer.average_width, costs.cores);
    answer.guideline = {rule, player.all(rule).time};
    tune_sections(answer, player, costs);
    return answer;
}

}  // namespace dodona::threads
