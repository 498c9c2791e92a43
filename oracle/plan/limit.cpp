#include "plan/limit.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace dodona::plan {

namespace {

template <class... Functions>
struct Overloaded : Functions... {
    using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

std::string words(const LayerName& layer) { return fmt::format("layer {} ({})", layer.name, layer.kind); }

/// One sentence for each cause; `ways` is 0 where it is not known.
struct Wording {
    std::int64_t ways;

    std::string operator()(const LoopLimit& limit) const {
        return fmt::format("{} <= {}: {} cannot be split further", limit.loop, limit.pieces, words(limit.layer));
    }
    std::string operator()(const UnevenLoop& limit) const {
        return fmt::format("{} {} of layer {} divides unevenly {} ways: the largest shard has {}", limit.loop,
                           limit.pieces, limit.layer.name, ways, (limit.pieces + ways - 1) / ways);
    }
    std::string operator()(const BatchLimit& limit) const {
        return fmt::format("{} <= {}: the batch has {} samples", fmt::join(limit.axes, " x "), limit.samples,
                           limit.samples);
    }
    std::string operator()(const UnevenBatch& limit) const {
        return ways > 0 ? fmt::format("the batch of {} does not divide by {} data ranks", limit.samples, ways)
                        : "the batch does not divide by the data ranks";
    }
    std::string operator()(const SegmentLimit& limit) const {
        return fmt::format(
            "pipeline <= {}: the network has {} pieces to cut{}", limit.segments, limit.segments,
            limit.cut ? fmt::format(" into {} stages x {} virtual stages", limit.cut->stages, limit.cut->virtual_stages)
                      : "");
    }
    std::string operator()(const UnevenBlocks& limit) const {
        return fmt::format("{} blocks do not divide evenly into {} stages", limit.blocks, ways);
    }
    std::string operator()(const InterleavingLimit& limit) const {
        return fmt::format("interleaving deals out micro-batches in groups of {}, one for each stage: {} do not divide",
                           ways, limit.microbatches);
    }
    std::string operator()(const ScheduleLimit& limit) const {
        return fmt::format("{}: {}", limit.schedule, limit.reason);
    }
    std::string operator()(const WindowLimit& limit) const {
        return fmt::format("the window of layer {} is wider than its neighbour's shard", limit.layer);
    }
    std::string operator()(const IdleAxis& limit) const {
        return fmt::format("no layer can be split over axis {}{}", limit.axis,
                           limit.rule_ends_at ? " that many ways: the while-condition of its rule fails at " +
                                                    words(*limit.rule_ends_at)
                                              : std::string{});
    }
    std::string operator()(const UnusedRule& limit) const {
        return fmt::format("rule {} of strategy {} matches no layer of this network", limit.number, limit.strategy);
    }
    std::string operator()(const FoldLimit& limit) const {
        return limit.doubled ? fmt::format("the folds do not nest on {} twice as large", *limit.doubled)
                             : "folds that do not nest on the mesh";
    }
    std::string operator()(const DeviceCountLimit& limit) const {
        return fmt::format("{} cannot use {} devices", limit.strategy, limit.devices);
    }
    std::string operator()(const NothingToShard& /*limit*/) const { return "the sharding group has a single rank"; }
    std::string operator()(const AnswersLimit& limit) const {
        return fmt::format("micro-batches need multiples of {} samples: so many answers are compared", limit.together);
    }
};

}  // namespace

bool Limit::broken() const {
    return !std::holds_alternative<UnevenLoop>(cause) && !std::holds_alternative<UnevenBlocks>(cause) &&
           !std::holds_alternative<UnusedRule>(cause);
}

std::optional<std::int64_t> Limit::pieces() const {
    using Count = std::optional<std::int64_t>;
    return std::visit(Overloaded{[](const LoopLimit& limit) { return Count(limit.pieces); },
                                 [](const UnevenLoop& limit) { return Count(limit.pieces); },
                                 [](const BatchLimit& limit) { return Count(limit.samples); },
                                 [](const UnevenBatch& limit) { return Count(limit.samples); },
                                 [](const SegmentLimit& limit) { return Count(limit.segments); },
                                 [](const UnevenBlocks& limit) { return Count(limit.blocks); },
                                 [](const auto& /*limit*/) { return Count(); }},
                      cause);
}

std::optional<UpperBound> Limit::upper_bound() const {
    using Bound = std::optional<UpperBound>;
    return std::visit(Overloaded{[](const LoopLimit& limit) {
                                     return Bound({limit.loop, limit.pieces});
                                 },
                                 [](const BatchLimit& limit) {
                                     return Bound({fmt::format("{}", fmt::join(limit.axes, " x ")), limit.samples});
                                 },
                                 [](const SegmentLimit& limit) {
                                     return Bound({"pipeline", limit.segments});
                                 },
                                 [](const auto& /*limit*/) { return Bound(); }},
                      cause);
}

std::string text(const Limit& limit) { return std::visit(Wording{limit.ways}, limit.cause); }

std::string text(const LimitCause& cause) { return std::visit(Wording{0}, cause); }

std::string text(const std::vector<Limit>& limits) {
    std::vector<std::string> texts;
    for (const Limit& limit : limits) {
        std::string words = text(limit);
        if (std::find(texts.begin(), texts.end(), words) == texts.end()) {
            texts.push_back(std::move(words));
        }
    }
    return fmt::format("{}", fmt::join(texts, "; "));
}

void sort_by_text(std::vector<Limit>& limits) {
    std::vector<std::pair<std::string, Limit>> sorted;
    sorted.reserve(limits.size());
    for (Limit& limit : limits) {
        std::string words = text(limit);
        sorted.emplace_back(std::move(words), std::move(limit));
    }
    std::sort(sorted.begin(), sorted.end());
    limits.clear();
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        if (i == 0 || sorted[i].first != sorted[i - 1].first) {
            limits.push_back(std::move(sorted[i].second));
        }
    }
}

const Limit* tightest_broken(const std::vector<Limit>& limits) {
    constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();
    const Limit* tightest = nullptr;
    std::int64_t least = kAny;
    for (const Limit& limit : limits) {
        if (!limit.broken()) {
            continue;
        }
        const std::int64_t bound = limit.pieces().value_or(kAny);
        if (tightest == nullptr || bound < least) {
            tightest = &limit;
            least = bound;
        }
    }
    return tightest;
}

}  // namespace dodona::plan
