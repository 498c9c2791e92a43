#include "plan/halo.hpp"

#include <algorithm>
#include <utility>

namespace dodona::plan {

namespace {

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a >= 0 ? a / b : -divide_up(-a, b); }

/// Rows first ... last that a shard reads; none if last < first.
struct Read {
    std::int64_t first;
    std::int64_t last;
};
constexpr Read kNothing{0, -1};

/// The largest halo over all shards of `extent` rows, `owned` per shard; `read` returns what shard i reads.
template <class ReadOf>
Halo worst(std::int64_t ways, std::int64_t extent, std::int64_t owned, const ReadOf& read) {
    Halo halo;
    for (std::int64_t i = 0; i < ways; ++i) {
        const std::int64_t own_first = i * owned;
        const std::int64_t own_last = std::min(extent, (i + 1) * owned) - 1;
        if (own_first > own_last) {
            break;
        }
        const Read rows = read(i);
        if (rows.last < rows.first) {
            continue;
        }
        const std::int64_t above = std::max<std::int64_t>(0, own_first - std::max<std::int64_t>(0, rows.first));
        const std::int64_t below = std::max<std::int64_t>(0, std::min(extent - 1, rows.last) - own_last);
        const int neighbours = (above > 0 ? 1 : 0) + (below > 0 ? 1 : 0);
        if (std::pair(above + below, neighbours) > std::pair(halo.rows, halo.neighbours)) {
            halo.rows = above + below;
            halo.neighbours = neighbours;
        }
        halo.too_wide = halo.too_wide || above > owned || below > owned;
    }
    return halo;
}

}  // namespace

Halo forward_halo(const graph::Window& window, std::int64_t inputs, std::int64_t outputs, std::int64_t ways) {
    const std::int64_t q = divide_up(outputs, ways);
    return worst(ways, inputs, divide_up(inputs, ways), [&](std::int64_t i) {
        const std::int64_t last_output = std::min(outputs, (i + 1) * q) - 1;
        return last_output < i * q ? kNothing
                                   : Read{window.stride * i * q - window.pad,
                                          window.stride * last_output - window.pad + window.span() - 1};
    });
}

Halo backward_halo(const graph::Window& window, std::int64_t inputs, std::int64_t outputs, std::int64_t ways) {
    const std::int64_t r = divide_up(inputs, ways);
    return worst(ways, outputs, divide_up(outputs, ways), [&](std::int64_t i) {
        const std::int64_t last_input = std::min(inputs, (i + 1) * r) - 1;
        return last_input < i * r ? kNothing
                                  : Read{-floor_divide(-(i * r + window.pad - window.span() + 1), window.stride),
                                         floor_divide(last_input + window.pad, window.stride)};
    });
}

}  // namespace dodona::plan
