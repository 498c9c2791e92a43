#include "calibrate/cuda/collective_shape.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "calibrate/record/exchange.hpp"

namespace dodona::calibrate::cuda {

namespace {

constexpr std::array<std::pair<const char*, CollectiveKind>, 5> kWords{{
    {"all-reduce", CollectiveKind::all_reduce},
    {"reduce-scatter", CollectiveKind::reduce_scatter},
    {"all-gather", CollectiveKind::all_gather},
    {"all-to-all", CollectiveKind::all_to_all},
    {"broadcast", CollectiveKind::broadcast},
}};

}  // namespace

CollectiveShape collective_shape(const std::string& word, std::int64_t bytes, int ranks, bool in_place) {
    const auto* const found =
        std::find_if(kWords.begin(), kWords.end(), [&](const auto& one) { return one.first == word; });
    if (found == kWords.end()) {
        throw CannotMeasure(fmt::format(
            "{} is no collective; known: all-reduce, reduce-scatter, all-gather, all-to-all, broadcast", word));
    }
    CollectiveShape shape{found->second, ranks, in_place};
    const bool whole = shape.kind == CollectiveKind::all_reduce || shape.kind == CollectiveKind::broadcast;
    shape.part = whole ? bytes / 4 : bytes / 4 / ranks;
    if (shape.part < 1) {
        throw CannotMeasure(
            fmt::format("{} of {} bytes among {} ranks is less than one number of fp32 a rank", word, bytes, ranks));
    }
    if (in_place && shape.kind == CollectiveKind::all_to_all) {
        throw CannotMeasure("NCCL has no all-to-all in place");
    }
    const std::int64_t full = whole ? shape.part : shape.part * ranks;
    shape.sent = shape.kind == CollectiveKind::all_gather ? shape.part : full;
    shape.received = shape.kind == CollectiveKind::reduce_scatter ? shape.part : full;
    return shape;
}

std::vector<double> expected_of_last(const CollectiveShape& shape, const std::vector<std::vector<float>>& sent,
                                     std::size_t count) {
    const auto part = static_cast<std::size_t>(shape.part);
    const std::size_t last = sent.size() - 1;
    std::vector<double> expected(count);
    for (std::size_t i = 0; i < count; ++i) {
        switch (shape.kind) {
            case CollectiveKind::all_reduce:
            case CollectiveKind::reduce_scatter:
                for (const auto& of_rank : sent) {
                    const bool reduced = shape.kind == CollectiveKind::all_reduce;
                    expected[i] += static_cast<double>(of_rank[reduced ? i : last * part + i]);
                }
                break;
            case CollectiveKind::all_gather: expected[i] = static_cast<double>(sent[i / part][i % part]); break;
            case CollectiveKind::all_to_all:
                expected[i] = static_cast<double>(sent[i / part][last * part + i % part]);
                break;
            case CollectiveKind::broadcast: expected[i] = static_cast<double>(sent.front()[i]); break;
        }
    }
    return expected;
}

}  // namespace dodona::calibrate::cuda
