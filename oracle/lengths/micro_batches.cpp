#include "lengths/micro_batches.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/check.hpp"
#include "base/ranges.hpp"

namespace dodona::lengths {

namespace {

/// Samples of one bucket, and the share of all that they are.
struct Bucket {
    Distribution lengths;
    double share = 0;
};

std::vector<Bucket> buckets_of(const Distribution& lengths, const std::vector<double>& edges) {
    std::vector<Bucket> buckets;
    std::vector<Share> inside;
    double share = 0;
    const auto close = [&] {
        if (!inside.empty()) {
            buckets.push_back({Distribution(std::move(inside)), share});
        }
        inside.clear();
        share = 0;
    };
    auto edge = edges.begin();
    for (const Share& one : lengths.shares()) {
        while (edge != edges.end() && one.value > *edge) {
            close();
            ++edge;
        }
        inside.push_back(one);
        share += one.share;
    }
    close();
    return buckets;
}

double deviation(double mean, double square_mean) { return std::sqrt(std::max(0.0, square_mean - mean * mean)); }

/// Micro-batches of one bucket each, all samples padded to the longest.
MicroBatches padded(const std::vector<Bucket>& buckets, std::int64_t samples) {
    const auto m = static_cast<double>(samples);
    std::vector<Share> drawn;
    double tokens = 0;
    double tokens_squared = 0;
    for (const Bucket& bucket : buckets) {
        const Distribution longest = bucket.lengths.largest_of(samples);
        for (const Share& one : longest.shares()) {
            drawn.push_back({one.value, bucket.share * one.share});
        }
        const double mean = m * bucket.lengths.mean();
        const double spread = bucket.lengths.deviation();
        tokens += bucket.share * mean;
        tokens_squared += bucket.share * (mean * mean + m * spread * spread);
    }
    MicroBatches made{.drawn = Distribution(std::move(drawn)), .draws = 1, .samples = m, .tokens = tokens};
    made.tokens_deviation = deviation(tokens, tokens_squared);
    made.positions = m * made.drawn.mean();
    made.positions_deviation = m * made.drawn.deviation();
    const auto fourth = dodona::sum_of<double>(made.drawn.shares(),
                                               [](const Share& one) { return one.share * std::pow(one.value, 4); });
    made.squares = m * made.drawn.square_mean();
    made.squares_deviation = m * deviation(made.drawn.square_mean(), fourth);
    return made;
}

/// A row that is being filled.
struct Row {
    double room = 0;
    double tokens = 0;
    double squares = 0;
};

/// Lengths at evenly spaced quantiles, the longest first.
std::vector<double> samples_to_pack(const Distribution& lengths, double row) {
    const double count = std::floor(std::clamp(kPackedRows * row / lengths.mean(), kLeastPacked, kMaxPacked));
    std::vector<double> samples;
    double sum = 0;
    for (const Share& one : lengths.shares()) {
        sum += one.share;
        while (static_cast<double>(samples.size()) + 0.5 < sum * count) {
            samples.push_back(one.value);
        }
    }
    std::reverse(samples.begin(), samples.end());
    return samples;
}

/// Best fit: each sample into the row that has least room left for it.
std::vector<Row> packed_rows(const std::vector<double>& samples, double row) {
    std::vector<Row> rows;
    std::set<std::pair<double, std::size_t>> open;  ///< room and row
    for (const double length : samples) {
        auto found = open.lower_bound({length, 0});
        std::size_t index = rows.size();
        if (found == open.end()) {
            rows.push_back({.room = row});
        } else {
            index = found->second;
            open.erase(found);
        }
        Row& filled = rows[index];
        filled.room -= length;
        filled.tokens += length;
        filled.squares += length * length;
        open.insert({filled.room, index});
    }
    return rows;
}

MicroBatches packed(const Distribution& lengths, double row, std::int64_t samples) {
    const auto m = static_cast<double>(samples);
    const std::vector<double> packed = samples_to_pack(lengths, row);
    const std::vector<Row> rows = packed_rows(packed, row);
    std::vector<Share> tokens;
    std::vector<Share> drawn;
    for (const Row& one : rows) {
        tokens.push_back({one.tokens, 1});
        drawn.push_back({one.squares / row, 1});
    }
    const Distribution tokens_of_rows(std::move(tokens));
    MicroBatches made{.drawn = Distribution(std::move(drawn)),
                      .draws = samples,
                      .samples = m * static_cast<double>(packed.size()) / static_cast<double>(rows.size()),
                      .tokens = m * tokens_of_rows.mean(),
                      .tokens_deviation = std::sqrt(m) * tokens_of_rows.deviation(),
                      .positions = m * row};
    made.squares = m * row * made.drawn.mean();
    made.squares_deviation = std::sqrt(m) * row * made.drawn.deviation();
    return made;
}

}  // namespace

std::vector<double> powers_of_two(const Distribution& lengths) {
    std::vector<double> edges;
    for (double edge = 1; edge < lengths.most(); edge *= 2) {
        if (edge >= lengths.least()) {
            edges.push_back(edge);
        }
    }
    return edges;
}

MicroBatches micro_batches(const MicroBatchQuestion& question) {
    check(question.lengths.most() <= question.row, "no sample is longer than a row");
    switch (question.packing) {
        case Packing::pack: return packed(question.lengths, question.row, question.samples);
        case Packing::bucket:
            return padded(
                buckets_of(question.lengths, question.edges.empty() ? powers_of_two(question.lengths) : question.edges),
                question.samples);
        case Packing::pad: break;
    }
    return padded({{question.lengths, 1}}, question.samples);
}

}  // namespace dodona::lengths
