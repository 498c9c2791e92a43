#include "files/hf/layer_runs.hpp"

#include <algorithm>

namespace dodona::files {

namespace {

constexpr std::size_t kLongestPeriod = 16;
constexpr std::size_t kLongestStart = 16;

std::vector<LayerRun> runs(const std::vector<std::size_t>& kinds, std::size_t begin, std::size_t end) {
    std::vector<LayerRun> result;
    for (std::size_t i = begin; i < end; ++i) {
        if (!result.empty() && result.back().kind == kinds[i]) {
            ++result.back().count;
        } else {
            result.push_back({kinds[i], 1});
        }
    }
    return result;
}

}  // namespace

LayerPattern layer_pattern(const std::vector<std::size_t>& kinds) {
    const std::size_t n = kinds.size();
    LayerPattern best{.first = runs(kinds, 0, n), .period = {}, .periods = 0, .rest = {}};
    std::size_t fewest = best.first.size();
    std::size_t repeated = 0;  // layers in the period
    for (std::size_t period = 1; period <= std::min(kLongestPeriod, n); ++period) {
        for (std::size_t start = 0; start <= std::min(kLongestStart, n - period); ++start) {
            std::size_t same = start + period;
            while (same < n && kinds[same] == kinds[same - period]) {
                ++same;
            }
            const std::size_t periods = (same - start) / period;
            const std::size_t end = start + periods * period;
            LayerPattern pattern{.first = runs(kinds, 0, start),
                                 .period = runs(kinds, start, start + period),
                                 .periods = periods,
                                 .rest = runs(kinds, end, n)};
            if (periods < 2 && pattern.period.size() > 1) {
                continue;  // nothing repeats
            }
            const std::size_t size = pattern.first.size() + pattern.period.size() + pattern.rest.size();
            const bool is_longer = size == fewest && periods * period > repeated;
            if (size < fewest || is_longer || best.periods == 0) {
                fewest = size;
                repeated = periods * period;
                best = std::move(pattern);
            }
        }
    }
    return best;
}

}  // namespace dodona::files
