#include "files/traced/repeats.hpp"

#include <algorithm>
#include <optional>

namespace dodona::files {

namespace {

constexpr std::size_t kLongestBlock = 512;
constexpr std::size_t kLeastSaved = 3;  ///< layers that need not be written out

class RepeatFinder {
public:
    explicit RepeatFinder(const std::vector<TracedLayer>& layers) : layers_(layers), last_reader_(layers.size(), 0) {
        first_reader_.assign(layers.size(), layers.size());
        for (std::size_t i = 0; i < layers.size(); ++i) {
            for (const std::size_t from : layers[i].from) {
                last_reader_[from] = std::max(last_reader_[from], i);
                first_reader_[from] = std::min(first_reader_[from], i);
            }
        }
    }

    /// The repetition that saves most layers; of equal ones the first, then the shortest block.
    [[nodiscard]] std::optional<RepeatedLayers> best(std::size_t begin, std::size_t end) const {
        std::optional<RepeatedLayers> found;
        std::size_t most = kLeastSaved - 1;
        for (std::size_t start = begin; start + 1 < end && (end - start) / 2 * 2 > most; ++start) {
            if (layers_[start].is_input()) {
                continue;
            }
            for (std::size_t length = 1; length <= std::min(kLongestBlock, (end - start) / 2); ++length) {
                if (!are_equal(start, start + length)) {
                    continue;
                }
                const std::size_t count = groups(start, length, end);
                if ((count - 1) * length > most) {
                    most = (count - 1) * length;
                    found = RepeatedLayers{.start = start, .length = length, .count = count};
                }
            }
        }
        return found;
    }

private:
    [[nodiscard]] bool are_equal(std::size_t a, std::size_t b) const {
        const TracedLayer& one = layers_[a];
        const TracedLayer& other = layers_[b];
        bool is_equal = one.op == other.op && one.attributes == other.attributes && one.result == other.result &&
                        one.from.size() == other.from.size() && !other.is_input();
        for (std::size_t i = 0; is_equal && i < one.from.size(); ++i) {
            is_equal = a - one.from[i] == b - other.from[i];
        }
        return is_equal;
    }

    /// Whether a group stands by itself.
    [[nodiscard]] bool is_closed(std::size_t start, std::size_t length) const {
        for (std::size_t i = start; i < start + length; ++i) {
            for (const std::size_t from : layers_[i].from) {
                if (from + 1 < start) {
                    return false;
                }
            }
            const bool is_last = i + 1 == start + length;
            const bool is_unread = first_reader_[i] == layers_.size();
            if (!is_last && (is_unread || last_reader_[i] >= start + length)) {
                return false;
            }
        }
        return start > 0;
    }

    /// Equal groups of this length from `start`; 1 if there is none after the first.
    [[nodiscard]] std::size_t groups(std::size_t start, std::size_t length, std::size_t end) const {
        if (!is_closed(start, length)) {
            return 1;
        }
        std::size_t count = 1;
        while (start + (count + 1) * length <= end) {
            const std::size_t next = start + count * length;
            bool is_equal = is_closed(next, length) && last_reader_[next - 1] < next + length;
            for (std::size_t i = 0; is_equal && i < length; ++i) {
                is_equal = are_equal(start + i, next + i);
            }
            if (!is_equal) {
                break;
            }
            ++count;
        }
        return count;
    }

    const std::vector<TracedLayer>& layers_;
    std::vector<std::size_t> first_reader_;
    std::vector<std::size_t> last_reader_;
};

void add_between(const RepeatFinder& finder, const std::vector<TracedLayer>& layers, std::size_t begin, std::size_t end,
                 std::vector<RepeatedLayers>& all) {
    if (const auto found = finder.best(begin, end)) {
        add_between(finder, layers, begin, found->start, all);
        all.push_back(*found);
        add_between(finder, layers, found->end(), end, all);
        return;
    }
    for (std::size_t i = begin; i < end; ++i) {
        if (!layers[i].is_input()) {
            all.push_back({.start = i, .length = 1, .count = 1});
        }
    }
}

}  // namespace

std::vector<RepeatedLayers> repeats_of(const std::vector<TracedLayer>& layers) {
    std::vector<RepeatedLayers> all;
    add_between(RepeatFinder(layers), layers, 0, layers.size(), all);
    return all;
}

}  // namespace dodona::files
