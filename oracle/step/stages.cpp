#include "step/stages.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/ranges.hpp"
#include "schedule/rounds.hpp"
#include "step/schedule_timings.hpp"

namespace dodona::step {

namespace {

using Counts = std::vector<std::int64_t>;

Counts unit_counts(const CostedGraph& costed) {
    Counts counts;
    append(counts, costed.graph->segments, &graph::Segment::count);
    return counts;
}

/// Segment counts per virtual stage for given blocks per virtual stage, in order. Segments that are not blocks go with
/// the next block, those after the last block with the last stage. Domain: `per_stage` adds up to the blocks.
std::vector<Counts> deal_blocks(const CostedGraph& costed, const Counts& per_stage) {
    const auto& segments = costed.graph->segments;
    std::vector<Counts> total(per_stage.size(), Counts(segments.size(), 0));
    std::size_t stage = 0;
    std::int64_t room = per_stage[0];
    const auto last_block =
        std::find_if(segments.rbegin(), segments.rend(), [](const auto& s) { return s.is_block(); });
    const auto blocks_end = static_cast<std::size_t>(segments.rend() - last_block);
    for (std::size_t u = 0; u < segments.size(); ++u) {
        if (!segments[u].is_block()) {
            total[u < blocks_end ? stage : total.size() - 1][u] = segments[u].count;
            continue;
        }
        std::int64_t left = segments[u].count;
        while (left > 0) {
            while (room == 0) {
                room = per_stage[++stage];
            }
            const std::int64_t taken = std::min(left, room);
            total[stage][u] += taken;
            left -= taken;
            room -= taken;
        }
    }
    return total;
}

double unit_seconds(const SegmentCost& segment) {
    return (segment.forward.total() + segment.backward.total()).value.in(unit::second);
}

/// Time to send what one instance of a segment reads from those before it, over the network that the job spans.
Seconds entry_time(const CostedGraph& costed, std::size_t segment) {
    const std::vector<cluster::Level>& levels = costed.cluster->levels;
    if (levels.empty()) {
        return {};
    }
    std::size_t spanned = 0;
    while (spanned + 1 < levels.size() &&
           costed.cluster->domain_size(spanned, costed.mesh.devices()) < costed.mesh.devices()) {
        ++spanned;
    }
    VirtualStage alone{Counts(costed.segments.size(), 0)};
    alone.counts[segment] = 1;
    const cluster::Level& level = levels[spanned];
    return incoming(costed, {{alone}}, 0).sent / (static_cast<double>(level.links) * level.bandwidth);
}

/// A power that lets the slowest part decide, and then the next slowest.
double weighed(double time) {
    const double squared = time * time;
    return squared * squared * squared * squared;
}

/// By how much sums of equal cuts may differ when they are added up otherwise.
constexpr double kEqualSums = 1e-9;

/// Pieces that a pipeline is cut between: the time of one, and that of a transfer before it.
struct PieceRow {
    std::vector<Piece> pieces;
    std::vector<double> until;  ///< time of all pieces before
    std::vector<double> entry;  ///< by piece; none at either end
};

/// Seconds of a piece.
double piece_seconds(const CostedGraph& costed, const Piece& piece) {
    double seconds = static_cast<double>(piece.count) * unit_seconds(costed.segments[piece.segment]);
    for (std::size_t u = piece.segment + 1; u <= piece.segment + piece.followed_by; ++u) {
        seconds += static_cast<double>(costed.graph->segments[u].count) * unit_seconds(costed.segments[u]);
    }
    return seconds;
}

/// Times over that of an equal part, so that powers of them stay in range.
PieceRow row_of(const CostedGraph& costed, std::int64_t parts) {
    PieceRow row{.pieces = pieces_of(*costed.graph, parts), .until = {0}, .entry = {}};
    const auto all = sum_of<double>(row.pieces, [&](const Piece& piece) { return piece_seconds(costed, piece); });
    const double unit = all > 0 ? static_cast<double>(parts) / all : 1;
    std::vector<double> entries;
    for (std::size_t u = 0; u < costed.segments.size(); ++u) {
        entries.push_back(unit * entry_time(costed, u).in(unit::second));
    }
    for (const Piece& piece : row.pieces) {
        row.until.push_back(row.until.back() + unit * piece_seconds(costed, piece));
        row.entry.push_back(row.entry.empty() ? 0 : entries[piece.segment]);
    }
    row.entry.push_back(0);
    return row;
}

/// Times that parts should take, over that of an equal part. Times t_i of some of them that add up to t have the least sum
/// of weighed(t_i / share_i), which is R weighed(t / R), where they are as r_i = share_i^(8/7), R their sum (Lagrange).
struct Shares {
    std::vector<double> of;
    std::vector<double> until;  ///< sums of r_i before each part, and of all

    explicit Shares(std::vector<double> shares) : of(std::move(shares)), until{0} {
        for (const double share : of) {
            until.push_back(until.back() + std::pow(share, 8.0 / 7));
        }
    }
    [[nodiscard]] std::size_t parts() const { return of.size(); }
};

/// Time of a part and of what it receives from either side.
double part_time(const PieceRow& row, std::size_t begin, std::size_t end) {
    return row.until[end] - row.until[begin] + row.entry[begin] + row.entry[end];
}

/// End of the first p parts if times could have the least sum.
double ideal_end(const PieceRow& row, const Shares& shares, std::size_t p) {
    return row.until.back() * shares.until[p] / shares.until.back();
}

/// The sum of weighed times of the cut whose ends are the nearest to the ideal ones.
double nearest_sum(const PieceRow& row, const Shares& shares) {
    const std::size_t n = row.pieces.size();
    const std::size_t parts = shares.parts();
    double sum = 0;
    std::size_t begin = 0;
    for (std::size_t p = 1; p <= parts; ++p) {
        const double ideal = ideal_end(row, shares, p);
        const auto after = std::lower_bound(row.until.begin(), row.until.end(), ideal);
        auto end = static_cast<std::size_t>(after - row.until.begin());
        if (end > n || row.until[end] - ideal > ideal - row.until[end - 1]) {
            --end;
        }
        end = p == parts ? n : std::clamp(end, begin + 1, n - (parts - p));
        sum += weighed(part_time(row, begin, end) / shares.of[p - 1]);
        begin = end;
    }
    return sum;
}

/// Ends that a part may have.
struct Ends {
    std::size_t first = 0;
    std::size_t end = 0;  ///< the one after the last
};

/// Ends of the first p parts with which a cut may be no worse than `enough`. With an end e before and after which times
/// have the least sum, it is
///   R_p weighed(t(0, e) / R_p) + (R - R_p) weighed(t(e, n) / (R - R_p))
/// which is convex in t(0, e) and least at the ideal end.
Ends ends_within(const PieceRow& row, const Shares& shares, std::size_t p, double enough) {
    const std::size_t n = row.pieces.size();
    const double before = shares.until[p];
    const double after = shares.until.back() - before;
    const auto too_much = [&](std::size_t e) {
        const double rest = p < shares.parts() ? after * weighed((row.until[n] - row.until[e]) / after) : 0;
        return before * weighed(row.until[e] / before) + rest > enough;
    };
    const std::size_t last = n - (shares.parts() - p);
    const auto ideal = std::lower_bound(row.until.begin(), row.until.end(), ideal_end(row, shares, p));
    Ends ends;
    ends.first = ends.end = std::clamp(static_cast<std::size_t>(ideal - row.until.begin()), p, last + 1);
    while (ends.first > p && !too_much(ends.first - 1)) {
        --ends.first;
    }
    while (ends.end <= last && !too_much(ends.end)) {
        ++ends.end;
    }
    return ends;
}

/// Values for the ends that a part may have.
template <class Value>
struct ByEnd {
    Ends ends;
    std::vector<Value> values;

    ByEnd(const Ends& within, Value each) : ends(within), values(within.end - within.first, each) {}
    Value& operator[](std::size_t end) { return values[end - ends.first]; }
};

/// The cut into non-empty parts with the least sum of weighed times over their shares, what a part receives from either
/// side included. Returns the end of each part.
///   best[p][e] = min over b of best[p-1][b] + weighed(t(b, e) / share)   a part grows until its own time is too much
std::vector<std::size_t> ends_of(const PieceRow& row, const Shares& shares) {
    const std::size_t parts = shares.parts();
    const double enough = (1 + kEqualSums) * nearest_sum(row, shares);
    ByEnd<double> best({.first = 0, .end = 1}, 0);
    std::vector<ByEnd<std::size_t>> begins;
    begins.reserve(parts);
    for (std::size_t p = 1; p <= parts; ++p) {
        const double share = shares.of[p - 1];
        const Ends within = ends_within(row, shares, p, enough);
        ByEnd<double> next(within, std::numeric_limits<double>::infinity());
        ByEnd<std::size_t>& begin = begins.emplace_back(within, 0);
        for (std::size_t e = within.first; e < within.end; ++e) {
            for (std::size_t b = std::min(e, best.ends.end); b-- > best.ends.first;) {
                if (weighed((row.until[e] - row.until[b]) / share) >= next[e]) {
                    break;
                }
                const double sum = best[b] + weighed(part_time(row, b, e) / share);
                if (sum < next[e]) {
                    next[e] = sum;
                    begin[e] = b;
                }
            }
        }
        best = std::move(next);
    }
    std::vector<std::size_t> ends(parts, row.pieces.size());
    for (std::size_t p = parts; p-- > 1;) {
        ends[p - 1] = begins[p][ends[p]];
    }
    return ends;
}

/// The longest time of all parts of a stage.
double slowest_stage(const PieceRow& row, const std::vector<std::size_t>& ends, std::size_t stages) {
    std::vector<double> times(stages, 0);
    for (std::size_t p = 0; p < ends.size(); ++p) {
        times[p % stages] += part_time(row, p == 0 ? 0 : ends[p - 1], ends[p]);
    }
    return *std::max_element(times.begin(), times.end());
}

/// By which share a part at either end is shorter than one in the middle, so that parts with a block less are there.
constexpr double kShorterEnds = 1e-3;

/// By part: its share of the time, over that of an equal one. Stages hold whole blocks; where their virtual stages do not
/// divide these, as many consecutive parts in the middle as give each stage the same number of them hold a block more: 94
/// blocks on 32 stages are 3 a stage, and of 64 parts those from 16 to 47 hold 2. Of such rows the one in the middle is
/// the fastest by up to a seventh (tests/step/stages_test.cpp). Empty where there are less blocks than parts.
std::vector<double> shares_of_parts(const CostedGraph& costed, const PieceRow& row, const schedule::Places& places) {
    const auto all = sum_of<double>(row.pieces, [&](const Piece& piece) { return piece_seconds(costed, piece); });
    double block = 0;
    std::int64_t blocks = 0;
    for (std::size_t u = 0; u < costed.segments.size(); ++u) {
        if (costed.segments[u].block) {
            block += static_cast<double>(costed.graph->segments[u].count) * unit_seconds(costed.segments[u]);
            blocks += costed.graph->segments[u].count;
        }
    }
    if (blocks == 0 || block <= 0 || places.placement != schedule::Placement::loop || places.virtual_stages == 1) {
        return {};
    }
    const double mean = block / static_cast<double>(blocks);
    const auto of_stage =
        static_cast<std::int64_t>(std::ceil(all / static_cast<double>(places.stages) / mean - kEqualSums));
    const std::int64_t least = of_stage / places.virtual_stages;
    const std::int64_t longer = (of_stage % places.virtual_stages) * places.stages;
    if (least == 0) {
        return {};
    }
    const std::int64_t first = (places.positions() - longer) / 2;
    const double unit = static_cast<double>(places.virtual_stages) / static_cast<double>(of_stage);
    std::vector<double> shares;
    for (std::int64_t part = 0; part < places.positions(); ++part) {
        const bool is_longer = part >= first && part < first + longer;
        const auto to_end = static_cast<double>(std::abs(2 * part + 1 - places.positions()));
        const double shorter = 1 - kShorterEnds * to_end / static_cast<double>(places.positions());
        shares.push_back(shorter * unit * static_cast<double>(least + (is_longer ? 1 : 0)));
    }
    return shares;
}

std::vector<Counts> balance(const CostedGraph& costed, const schedule::Places& places) {
    const PieceRow row = row_of(costed, places.positions());
    const auto stages = static_cast<std::size_t>(places.stages);
    std::vector<Counts> found(static_cast<std::size_t>(places.positions()), Counts(costed.segments.size(), 0));
    std::size_t i = 0;
    std::vector<std::size_t> ends = ends_of(row, Shares(std::vector<double>(found.size(), 1)));
    if (std::vector<double> shares = shares_of_parts(costed, row, places); !shares.empty()) {
        std::vector<std::size_t> others = ends_of(row, Shares(std::move(shares)));
        if (slowest_stage(row, others, stages) <= (1 + kEqualSums) * slowest_stage(row, ends, stages)) {
            ends = std::move(others);
        }
    }
    for (std::size_t p = 0; p < found.size(); ++p) {
        for (; i < ends[p]; ++i) {
            row.pieces[i].add_to(found[p], *costed.graph);
        }
    }
    return found;
}

}  // namespace

std::vector<Piece> pieces_of(const graph::Graph& graph, std::int64_t parts) {
    constexpr std::int64_t kMaxPieces = 512;
    const std::int64_t most = std::max(kMaxPieces, 4 * parts);
    const std::int64_t bundle = (graph.segment_count() + most - 1) / most;
    std::vector<Piece> pieces;
    for (std::size_t u = 0; u < graph.segments.size(); ++u) {
        if (graph.stays_with_previous(u)) {
            ++pieces.back().followed_by;
            continue;
        }
        for (std::int64_t left = graph.segments[u].count; left > 0; left -= bundle) {
            pieces.push_back({u, std::min(left, bundle)});
        }
    }
    return pieces;
}

void Piece::add_to(std::vector<std::int64_t>& counts, const graph::Graph& graph) const {
    counts[segment] += count;
    for (std::size_t u = segment + 1; u <= segment + followed_by; ++u) {
        counts[u] += graph.segments[u].count;
    }
}

bool blocks_differ_within(const CostedGraph& costed, double tolerance) {
    std::optional<double> first;
    for (const SegmentCost& segment : costed.segments) {
        if (!segment.block) {
            continue;
        }
        const double seconds = unit_seconds(segment);
        if (!first) {
            first = seconds;
        }
        if (std::abs(seconds - *first) > tolerance * *first) {
            return false;
        }
    }
    return first.has_value();
}

bool blocks_are_alike(const CostedGraph& costed) { return blocks_differ_within(costed, 0.01); }

bool blocks_are_same(const CostedGraph& costed) { return blocks_differ_within(costed, 0); }

std::optional<plan::Limit> pipeline_limit(std::int64_t segments, const plan::Plan& plan, std::int64_t microbatches) {
    const std::int64_t stages = plan.pipeline_stages();
    if (segments < stages * plan.virtual_stages) {
        return plan::Limit{plan::SegmentLimit{.segments = segments, .cut = {{stages, plan.virtual_stages}}},
                           stages * plan.virtual_stages};
    }
    if (stages == 1) {
        return std::nullopt;
    }
    const bool interleaves = plan.schedule == plan::ScheduleKind::interleaved;
    if (interleaves && plan.virtual_stages > 1 && microbatches % stages != 0) {
        return plan::Limit{plan::InterleavingLimit{microbatches}, stages};
    }
    // Of whole rounds more or fewer there is an order or none.
    const auto number = [](std::int64_t value) { return static_cast<std::int32_t>(value); };
    const schedule::Shape shape{number(stages), number(schedule::without_rounds(microbatches, stages)),
                                number(plan.virtual_stages)};
    const schedule::Schedule& schedule = plan::schedule_of(plan.schedule);
    if (const auto unmet = interleaves ? std::nullopt : schedule.unmet(shape)) {
        return plan::Limit{plan::ScheduleLimit{std::string(schedule.name), *unmet}, stages};
    }
    if (const auto unmet = too_many_tasks(plan.schedule, shape)) {
        return plan::Limit{plan::ScheduleLimit{std::string(schedule.name), *unmet}, stages};
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

std::vector<Stage> placed(std::vector<std::vector<std::int64_t>> parts, const schedule::Places& places) {
    std::vector<Stage> stages(static_cast<std::size_t>(places.stages));
    for (std::size_t s = 0; s < stages.size(); ++s) {
        for (std::int64_t i = 0; i < places.on_stage(); ++i) {
            const std::int64_t position = places.position(static_cast<std::int64_t>(s), i);
            std::vector<std::int64_t>& part = parts[static_cast<std::size_t>(position)];
            stages[s].virtual_stages.push_back({places.copies() == 1 ? std::move(part) : part});
        }
    }
    return stages;
}

std::vector<Stage> cut_stages(const CostedGraph& costed, const schedule::Places& places,
                              const std::vector<std::int64_t>& given) {
    const std::int64_t parts = places.positions();
    const std::int64_t blocks = costed.graph->block_count();
    std::vector<Counts> cut;
    if (parts == 1) {
        cut = {unit_counts(costed)};
    } else if (!given.empty()) {
        cut = deal_blocks(costed, given);
    } else if (blocks % parts == 0 && blocks_are_alike(costed)) {
        cut = deal_blocks(costed, Counts(static_cast<std::size_t>(parts), blocks / parts));
    } else {
        check(costed.graph->segment_count() >= parts, "every virtual stage gets a segment");
        cut = balance(costed, places);
    }
    return placed(std::move(cut), places);
}

Incoming incoming(const CostedGraph& costed, const Stage& stage, plan::Atoms split) {
    Incoming all;
    const double mean = 1.0 / static_cast<double>(stage.virtual_stages.size());
    for (const VirtualStage& virtual_stage : stage.virtual_stages) {
        const auto found = find_if(virtual_stage.counts, [](std::int64_t n) { return n > 0; });
        const auto first = static_cast<std::size_t>(found - virtual_stage.counts.begin());
        Bytes whole;
        std::set<graph::Vertex> sent;
        for (std::size_t u = first; u < virtual_stage.counts.size(); ++u) {
            for (const Entering& tensor : costed.segments[u].entering) {
                if (virtual_stage.counts[u] == 0 || tensor.producer >= first || tensor.sample ||
                    !sent.insert(tensor.tensor).second) {
                    continue;
                }
                const plan::Atoms over = split & ~tensor.sharded;
                whole += tensor.bytes;
                const double share = tensor.forward_only ? mean / 2 : mean;
                all.sent += share / static_cast<double>(costed.mesh.ways(over)) * tensor.bytes;
                all.gathered += over != 0 ? share * tensor.bytes : Bytes{};
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
    struct Run {
        std::string name;
        std::int64_t count;
    };
    std::vector<Run> runs;
    for (std::size_t u = 0; u < costed.segments.size(); ++u) {
        const std::int64_t count = stage.count(u);
        if (count == 0) {
            continue;
        }
        const std::string& full = costed.graph->segments[u].name;
        const std::string name = full.substr(0, full.find('['));
        if (!runs.empty() && runs.back().name == name) {
            runs.back().count += count;
        } else {
            runs.push_back({name, count});
        }
    }
    const auto texts = mapped<std::string>(
        runs, [](const Run& run) { return run.count == 1 ? run.name : fmt::format("{} x {}", run.count, run.name); });
    return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace dodona::step
