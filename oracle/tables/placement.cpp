#include "tables/placement.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/ranges.hpp"
#include "tables/zipf.hpp"

namespace dodona::tables {

namespace {

constexpr int kMaxMoves = 2000;  ///< of step 4

Bytes traffic(const PlacementQuestion& question, const Shard& shard) {
    const Table& table = question.tables[shard.table];
    return forward_traffic(table, shard, question.format, question.samples) +
           backward_traffic(table, shard, question.format, question.samples);
}

double hits(const PlacementQuestion& question, const Shard& shard, const Tier& tier) {
    const double rows = question.tables[shard.table].rows / shard.row_ways;
    return tier.cached > 0 ? hit_rate(tier.cached * rows, rows, question.zipf) : 0;
}

Placed placed(const PlacementQuestion& question, const Shard& shard, std::size_t tier) {
    return {.shard = shard,
            .tier = tier,
            .bytes = held(question.tables[shard.table], shard, question.format),
            .time = lookup_time(question, shard, question.tiers[tier]),
            .hits = hits(question, shard, question.tiers[tier])};
}

/// Halves by columns while there are enough of them, else by rows; false: it has a single row.
bool halve(const PlacementQuestion& question, Shard& shard) {
    const Table& table = question.tables[shard.table];
    if (table.features / (2 * shard.column_ways) >= kLeastColumns) {
        shard.column_ways *= 2;
        return true;
    }
    if (table.rows / (2 * shard.row_ways) < 1) {
        return false;
    }
    shard.row_ways *= 2;
    return true;
}

/// Tables by traffic a byte, most first.
std::vector<std::size_t> by_density(const PlacementQuestion& question) {
    std::vector<double> density;
    for (std::size_t t = 0; t < question.tables.size(); ++t) {
        const Shard whole{.table = t};
        density.push_back(traffic(question, whole) / held(question.tables[t], whole, question.format));
    }
    std::vector<std::size_t> order(question.tables.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return density[a] > density[b]; });
    return order;
}

/// Step 1: the tier of each table; the number of tiers where none has room.
std::vector<std::size_t> tiers_by_room(const PlacementQuestion& question) {
    const auto devices = static_cast<double>(question.devices);
    std::vector<Bytes> room;
    for (const Tier& tier : question.tiers) {
        room.push_back(devices * tier.room);
    }
    std::vector<std::size_t> tier_of(question.tables.size());
    for (const std::size_t table : by_density(question)) {
        const Bytes bytes = held(question.tables[table], {.table = table}, question.format);
        std::size_t tier = 0;
        while (tier < room.size() && bytes > room[tier]) {
            ++tier;
        }
        tier_of[table] = tier;
        if (tier < room.size()) {
            room[tier] += -bytes;
        }
    }
    return tier_of;
}

/// The bound of the head comment.
Seconds bound_of(const PlacementQuestion& question) {
    const auto devices = static_cast<double>(question.devices);
    const bool cached = std::any_of(question.tiers.begin(), question.tiers.end(),
                                    [](const Tier& tier) { return tier.cached > 0 || tier.pools; });
    Seconds sum;
    std::size_t tier = 0;
    Bytes room = devices * question.tiers.front().room;
    for (const std::size_t table : by_density(question)) {
        const Shard whole{.table = table};
        const Bytes moved = traffic(question, whole);
        if (cached) {
            BytesPerSecond fastest = question.cache_rate;
            for (const Tier& one : question.tiers) {
                fastest = max(fastest, one.rate);
            }
            sum += moved / fastest;
            continue;
        }
        Bytes left = held(question.tables[table], whole, question.format);
        const Bytes all = left;
        while (left > Bytes{} && tier < question.tiers.size()) {
            const Bytes here = min(left, room);
            sum += (here / all) * moved / question.tiers[tier].rate;
            left += -here;
            room += -here;
            if (left > Bytes{} && ++tier < question.tiers.size()) {
                room = devices * question.tiers[tier].room;
            }
        }
    }
    return sum / devices;
}

/// Sums of equal times differ by less.
constexpr double kRounding = 1e-9;

/// Step 2: equal parts of each table, in its tier.
std::vector<Placed> split(const PlacementQuestion& question, const std::vector<std::size_t>& tier_of) {
    Seconds sum;
    for (std::size_t t = 0; t < question.tables.size(); ++t) {
        sum += lookup_time(question, {.table = t}, question.tiers[tier_of[t]]);
    }
    const Seconds mean = (1 + kRounding) * sum / static_cast<double>(question.devices);
    std::vector<Placed> parts;
    for (std::size_t t = 0; t < question.tables.size(); ++t) {
        Shard shard{.table = t};
        const Tier& tier = question.tiers[tier_of[t]];
        const auto is_too_large = [&] {
            return held(question.tables[t], shard, question.format) > tier.room ||
                   (question.devices > 1 && lookup_time(question, shard, tier) > mean);
        };
        while (question.may_split && is_too_large() && halve(question, shard)) {
        }
        const auto count = static_cast<std::size_t>(shard.row_ways * shard.column_ways);
        parts.insert(parts.end(), count, placed(question, shard, tier_of[t]));
    }
    return parts;
}

/// What devices have to do and what room they have left.
class Devices {
public:
    explicit Devices(const PlacementQuestion& question)
        : times(static_cast<std::size_t>(question.devices)), tiers_(question.tiers.size()) {
        for (std::int64_t device = 0; device < question.devices; ++device) {
            append(rooms_, question.tiers, &Tier::room);
        }
    }

    [[nodiscard]] Bytes& room(std::int64_t device, std::size_t tier) {
        return rooms_[static_cast<std::size_t>(device) * tiers_ + tier];
    }
    void put(Placed& part, std::int64_t device) {
        part.device = device;
        times[static_cast<std::size_t>(device)] += part.time;
        room(device, part.tier) += -part.bytes;
    }
    void take(const Placed& part) {
        times[static_cast<std::size_t>(part.device)] += -part.time;
        room(part.device, part.tier) += part.bytes;
    }
    /// The device with least to do that has room; -1: none has.
    [[nodiscard]] std::int64_t idlest(const Placed& part) {
        std::int64_t best = -1;
        for (std::int64_t device = 0; device < static_cast<std::int64_t>(times.size()); ++device) {
            const bool has_room = room(device, part.tier) >= part.bytes;
            if (has_room &&
                (best < 0 || times[static_cast<std::size_t>(device)] < times[static_cast<std::size_t>(best)])) {
                best = device;
            }
        }
        return best;
    }
    [[nodiscard]] std::int64_t busiest() const { return std::max_element(times.begin(), times.end()) - times.begin(); }

    std::vector<Seconds> times;

private:
    std::size_t tiers_;
    std::vector<Bytes> rooms_;
};

bool is_longer(const Placed& a, const Placed& b) { return a.time != b.time ? a.time > b.time : a.bytes > b.bytes; }

/// Step 3. A part without room is halved, or goes to the next tier.
std::vector<Placed> put_all(const PlacementQuestion& question, std::vector<Placed> waiting, Devices& devices,
                            std::vector<std::size_t>& unplaced) {
    std::stable_sort(waiting.begin(), waiting.end(), is_longer);
    std::vector<Placed> all;
    for (std::size_t i = 0; i < waiting.size(); ++i) {
        Placed part = waiting[i];
        if (const std::int64_t device = devices.idlest(part); device >= 0) {
            devices.put(part, device);
            all.push_back(part);
            continue;
        }
        Shard half = part.shard;
        const bool was_split = part.shard.row_ways * part.shard.column_ways >= 4096;
        if (question.may_split && !was_split && halve(question, half)) {
            waiting.insert(waiting.begin() + static_cast<std::ptrdiff_t>(i) + 1, 2, placed(question, half, part.tier));
        } else if (part.tier + 1 < question.tiers.size()) {
            waiting.insert(waiting.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                           placed(question, part.shard, part.tier + 1));
        } else {
            unplaced.push_back(part.shard.table);
        }
    }
    return all;
}

/// Step 4: one move or exchange that shortens the busiest device; false: there is none.
bool improve_once(std::vector<Placed>& parts, Devices& devices) {
    const std::int64_t busiest = devices.busiest();
    const Seconds longest = devices.times[static_cast<std::size_t>(busiest)];
    Placed* best = nullptr;
    Placed* with = nullptr;
    std::int64_t to = -1;
    Seconds least = longest;
    for (Placed& part : parts) {
        if (part.device != busiest) {
            continue;
        }
        const std::int64_t idlest = devices.idlest(part);
        if (idlest >= 0 && idlest != busiest) {
            const Seconds after = max(longest - part.time, devices.times[static_cast<std::size_t>(idlest)] + part.time);
            if (after < least) {
                least = after, best = &part, with = nullptr, to = idlest;
            }
        }
        for (Placed& other : parts) {
            const auto there = static_cast<std::size_t>(other.device);
            const bool fits = other.device != busiest && other.tier == part.tier && other.time < part.time &&
                              devices.room(other.device, part.tier) + other.bytes >= part.bytes &&
                              devices.room(busiest, part.tier) + part.bytes >= other.bytes;
            if (!fits) {
                continue;
            }
            const Seconds after = max(longest - part.time + other.time, devices.times[there] + part.time - other.time);
            if (after < least) {
                least = after, best = &part, with = &other, to = other.device;
            }
        }
    }
    if (best == nullptr || least > longest * (1 - 1e-9)) {
        return false;
    }
    devices.take(*best);
    if (with != nullptr) {
        devices.take(*with);
        devices.put(*with, busiest);
    }
    devices.put(*best, to);
    return true;
}

/// All placements of few parts, as far as they can be better than what is known.
class ExactSearch {
public:
    ExactSearch(const PlacementQuestion& question, std::vector<Placed> parts, Seconds known)
        : devices_(question), parts_(std::move(parts)), best_(known), count_(question.devices) {
        std::stable_sort(parts_.begin(), parts_.end(), is_longer);
        Seconds left;
        rest_.resize(parts_.size() + 1);
        for (std::size_t i = parts_.size(); i-- > 0;) {
            left += parts_[i].time;
            rest_[i] = left;
        }
    }

    /// Whether all were tried; `parts` are then the best.
    bool run(std::vector<Placed>& parts) {
        visit(0);
        if (!better_.empty()) {
            parts = better_;
        }
        return visits_ < kMaxVisits;
    }

private:
    void visit(std::size_t i) {
        if (++visits_ >= kMaxVisits) {
            return;
        }
        const Seconds longest = *std::max_element(devices_.times.begin(), devices_.times.end());
        if (i == parts_.size()) {
            best_ = longest;
            better_ = parts_;
            return;
        }
        const auto done = sum_of<Seconds>(devices_.times, [](const Seconds time) { return time; });
        if (max(longest, (done + rest_[i]) / static_cast<double>(count_)) >= best_ * (1 - 1e-12)) {
            return;
        }
        for (std::int64_t device = 0; device < count_; ++device) {
            const bool is_unused = devices_.times[static_cast<std::size_t>(device)] == Seconds{};
            if (devices_.room(device, parts_[i].tier) >= parts_[i].bytes &&
                devices_.times[static_cast<std::size_t>(device)] + parts_[i].time < best_) {
                devices_.put(parts_[i], device);
                visit(i + 1);
                devices_.take(parts_[i]);
            }
            if (is_unused) {
                break;  // all unused devices are alike
            }
        }
    }

    Devices devices_;
    std::vector<Placed> parts_;
    std::vector<Seconds> rest_;  ///< time of the parts from each on
    std::vector<Placed> better_;
    Seconds best_;
    std::int64_t count_;
    std::int64_t visits_ = 0;
};

void add_up(const PlacementQuestion& question, Placement& placement) {
    placement.device_times.resize(static_cast<std::size_t>(question.devices));
    placement.device_pooled.resize(static_cast<std::size_t>(question.devices));
    for (const Placed& part : placement.shards) {
        const auto device = static_cast<std::size_t>(part.device);
        placement.device_times[device] += part.time;
        placement.device_pooled[device] +=
            pooled(question.tables[part.shard.table], part.shard, question.format, question.samples);
    }
    placement.longest = *std::max_element(placement.device_times.begin(), placement.device_times.end());
    placement.bound = min(bound_of(question), placement.longest);
}

}  // namespace

Seconds lookup_time(const PlacementQuestion& question, const Shard& shard, const Tier& tier) {
    const Bytes moved = traffic(question, shard);
    if (tier.pools) {
        const Bytes sums = pooled(question.tables[shard.table], shard, question.format, question.samples);
        return moved / tier.rate + 2 * sums / tier.link;
    }
    const double hit = hits(question, shard, tier);
    if (hit == 0) {
        return moved / tier.rate;
    }
    return hit * moved / question.cache_rate + (1 - hit) * moved / tier.rate;
}

double Placement::imbalance() const {
    auto sum = sum_of<Seconds>(device_times, [](const Seconds time) { return time; });
    return sum > Seconds{} ? longest / (sum / static_cast<double>(device_times.size())) : 1;
}

Placement place(const PlacementQuestion& question) {
    Placement placement;
    const std::vector<std::size_t> tier_of = tiers_by_room(question);
    for (std::size_t t = 0; t < tier_of.size(); ++t) {
        if (tier_of[t] == question.tiers.size()) {
            placement.unplaced.push_back(t);
        }
    }
    if (!placement.unplaced.empty()) {
        return placement;
    }
    Devices devices(question);
    placement.shards = put_all(question, split(question, tier_of), devices, placement.unplaced);
    for (int move = 0; move < kMaxMoves && improve_once(placement.shards, devices); ++move) {
    }
    if (placement.shards.size() <= kMaxExactShards) {
        const Seconds known = *std::max_element(devices.times.begin(), devices.times.end());
        placement.best_of_shards = ExactSearch(question, placement.shards, known).run(placement.shards);
    }
    std::stable_sort(placement.shards.begin(), placement.shards.end(), [](const Placed& a, const Placed& b) {
        return a.shard.table != b.shard.table ? a.shard.table < b.shard.table : a.device < b.device;
    });
    add_up(question, placement);
    return placement;
}

}  // namespace dodona::tables
