#include "step/stages.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "base/check.hpp"

namespace dodona::step {

namespace {

using Counts = std::vector<std::int64_t>;

std::int64_t total(const Counts& counts) { return std::accumulate(counts.begin(), counts.end(), std::int64_t{0}); }

Counts unit_counts(const CostedGraph& costed) {
    Counts counts;
    for (const graph::Segment& segment : costed.graph->segments) {
        counts.push_back(segment.count);
    }
    return counts;
}

/// Segment counts per virtual stage for given blocks per virtual stage, in order. Segments that are not blocks go with
/// the next block, those after the last block with the last stage.
std::vector<Counts> deal_blocks(const CostedGraph& costed, const Counts& per_stage) {
    const auto& segments = costed.graph->segments;
    std::vector<Counts> total(per_stage.size(), Counts(segments.size(), 0));
    std::size_t stage = 0;
    std::int64_t room = per_stage[0];
    for (std::size_t u = 0; u < segments.size(); ++u) {
        if (!segments[u].is_block()) {
            total[stage][u] = segments[u].count;
            continue;
        }
        std::int64_t left = segments[u].count;
        while (left > 0) {
            while (room == 0 && stage + 1 < per_stage.size()) {
                room = per_stage[++stage];
            }
            const std::int64_t taken = room == 0 ? left : std::min(left, room);
            total[stage][u] += taken;
            left -= taken;
            room -= std::min(room, taken);
        }
    }
    return total;
}

double unit_seconds(const SegmentCost& segment) {
    return (segment.forward.total() + segment.backward.total()).value.in(unit::second);
}

/// Fills virtual stages greedily, none of them longer than `budget`, and returns their number.
std::int64_t fill(const CostedGraph& costed, double budget, std::int64_t most, std::vector<Counts>* stages) {
    const auto& segments = costed.graph->segments;
    std::int64_t used = 1;
    double room = budget;
    if (stages != nullptr) {
        stages->assign(static_cast<std::size_t>(most), Counts(segments.size(), 0));
    }
    for (std::size_t u = 0; u < segments.size(); ++u) {
        const double each = unit_seconds(costed.segments[u]);
        std::int64_t left = segments[u].count;
        while (left > 0) {
            const double fitting = each > 0 ? std::floor(room / each * (1 + 1e-12)) : static_cast<double>(left);
            const auto taken = std::min(left, static_cast<std::int64_t>(std::clamp(fitting, 0.0, 1e15)));
            if (taken == 0) {
                if (++used > most) {
                    return used;
                }
                room = budget;
                continue;
            }
            if (stages != nullptr) {
                (*stages)[static_cast<std::size_t>(used - 1)][u] += taken;
            }
            room -= each * static_cast<double>(taken);
            left -= taken;
        }
    }
    return used;
}

/// Moves single instances into empty virtual stages.
void leave_none_empty(const CostedGraph& costed, std::vector<Counts>& stages) {
    for (std::size_t s = stages.size(); s-- > 1;) {
        if (total(stages[s]) > 0) {
            continue;
        }
        for (std::size_t from = s; from-- > 0;) {
            if (total(stages[from]) == 0) {
                continue;
            }
            for (std::size_t u = costed.segments.size(); u-- > 0;) {
                if (stages[from][u] > 0 && total(stages[from]) > 0) {
                    --stages[from][u];
                    ++stages[s][u];
                    break;
                }
            }
            break;
        }
    }
}

std::vector<Counts> balance(const CostedGraph& costed, std::int64_t stages) {
    double low = 0;
    double high = 0;
    for (std::size_t u = 0; u < costed.segments.size(); ++u) {
        const double each = unit_seconds(costed.segments[u]);
        low = std::max(low, each);
        high += each * static_cast<double>(costed.graph->segments[u].count);
    }
    for (int i = 0; i < 60; ++i) {
        const double middle = 0.5 * (low + high);
        (fill(costed, middle, stages, nullptr) <= stages ? high : low) = middle;
    }
    std::vector<Counts> found;
    fill(costed, high * (1 + 1e-9), stages, &found);
    leave_none_empty(costed, found);
    return found;
}

}  // namespace

bool blocks_are_alike(const CostedGraph& costed) {
    double first = -1;
    for (const SegmentCost& segment : costed.segments) {
        if (!segment.block) {
            continue;
        }
        const double seconds = unit_seconds(segment);
        if (first < 0) {
            first = seconds;
        }
        if (std::abs(seconds - first) > 0.01 * first) {
            return false;
        }
    }
    return first >= 0;
}

std::optional<plan::Limit> pipeline_limit(std::int64_t segments, const plan::Plan& plan, std::int64_t microbatches) {
    const std::int64_t stages = plan.strategy.pipeline ? plan.axis_size(*plan.strategy.pipeline) : 1;
    if (segments < stages * plan.virtual_stages) {
        return plan::Limit{plan::SegmentLimit{.segments = segments, .cut = {{stages, plan.virtual_stages}}},
                           stages * plan.virtual_stages};
    }
    if (plan.schedule == plan::ScheduleKind::interleaved && plan.virtual_stages > 1 && microbatches % stages != 0) {
        return plan::Limit{plan::InterleavingLimit{microbatches}, stages};
    }
    return std::nullopt;
}

std::int64_t Stage::count(std::size_t segment) const {
    std::int64_t sum = 0;
    for (const VirtualStage& virtual_stage : virtual_stages) {
        sum += virtual_stage.counts[segment];
    }
    return sum;
}

std::vector<Stage> cut_stages(const CostedGraph& costed, std::int64_t stages, std::int64_t virtual_stages,
                              const std::vector<std::int64_t>& given) {
    const std::int64_t parts = stages * virtual_stages;
    const std::int64_t blocks = costed.graph->block_count();
    std::vector<Counts> cut;
    if (parts == 1) {
        cut = {unit_counts(costed)};
    } else if (!given.empty()) {
        cut = deal_blocks(costed, given);
    } else if (blocks % parts == 0 && blocks_are_alike(costed)) {
        cut = deal_blocks(costed, Counts(static_cast<std::size_t>(parts), blocks / parts));
    } else {
        check(total(unit_counts(costed)) >= parts, "every virtual stage gets a segment");
        cut = balance(costed, parts);
    }
    std::vector<Stage> result(static_cast<std::size_t>(stages));
    for (std::size_t v = 0; v < cut.size(); ++v) {
        result[v % static_cast<std::size_t>(stages)].virtual_stages.push_back({std::move(cut[v])});
    }
    return result;
}

Incoming incoming(const CostedGraph& costed, const Stage& stage, plan::Atoms split) {
    Incoming all;
    const double mean = 1.0 / static_cast<double>(stage.virtual_stages.size());
    for (const VirtualStage& virtual_stage : stage.virtual_stages) {
        const auto found = std::find_if(virtual_stage.counts.begin(), virtual_stage.counts.end(),
                                        [](std::int64_t n) { return n > 0; });
        const auto first = static_cast<std::size_t>(found - virtual_stage.counts.begin());
        Bytes whole;
        for (std::size_t u = first; u < virtual_stage.counts.size(); ++u) {
            for (const Entering& tensor : costed.segments[u].entering) {
                const bool from_before = u == first || tensor.producer < first;
                if (virtual_stage.counts[u] == 0 || !from_before || tensor.sample) {
                    continue;
                }
                const plan::Atoms over = split & ~tensor.sharded;
                whole += tensor.bytes;
                all.sent += mean / static_cast<double>(costed.mesh.ways(over)) * tensor.bytes;
                all.gathered += over != 0 ? mean * tensor.bytes : Bytes{};
            }
        }
        all.whole = max(all.whole, whole);
    }
    return all;
}

plan::Atoms boundary_split(const CostedGraph& costed, const plan::Plan& plan) {
    return plan.strategy.split_boundaries ? costed.mesh.axis(*plan.strategy.split_boundaries) : plan::Atoms{0};
}

std::string describe(const CostedGraph& costed, const Stage& stage) {
    std::string text;
    std::int64_t run = 0;
    std::string run_name;
    const auto flush = [&] {
        if (run > 0) {
            text += text.empty() ? "" : ", ";
            text += run == 1 ? run_name : fmt::format("{} x {}", run, run_name);
        }
        run = 0;
    };
    for (std::size_t u = 0; u < costed.segments.size(); ++u) {
        const std::int64_t count = stage.count(u);
        if (count == 0) {
            continue;
        }
        const std::string& full = costed.graph->segments[u].name;
        const std::string name = full.substr(0, full.find('['));
        if (name != run_name) {
            flush();
            run_name = name;
        }
        run += count;
    }
    flush();
    return text;
}

}  // namespace dodona::step
