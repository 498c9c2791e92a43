#include "files/launch/stage_layout.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

#include <fmt/format.h>

namespace dodona::files {

namespace {

constexpr std::string_view kLetters = "EtmL|,";
constexpr std::size_t kMaxLetters = 10'000;  ///< of a layout without repetitions

class LayoutReader {
public:
    explicit LayoutReader(const Node& node) : node_(node), text_(node.text) {}

    /// The letters without repetitions.
    std::string letters() {
        std::string all = group();
        if (at_ < text_.size()) {
            fault("a parenthesis that nothing opens");
        }
        return all;
    }

private:
    /// Up to the end, or to the parenthesis that closes the group.
    std::string group() {
        std::string all;
        while (at_ < text_.size() && text_[at_] != ')') {
            const std::string one = repeatable();
            const std::size_t times = repetitions();
            if (one.size() * times > kMaxLetters - all.size()) {
                fault("more layers than dodona reads");
            }
            for (std::size_t i = 0; i < times; ++i) {
                all += one;
            }
        }
        return all;
    }

    std::string repeatable() {
        const char letter = text_[at_++];
        if (letter == '(' && depth_ < kMaxDepth) {
            ++depth_;
            std::string inner = group();
            if (at_ == text_.size()) {
                fault("a parenthesis that nothing closes");
            }
            ++at_;
            --depth_;
            return inner;
        }
        if (kLetters.find(letter) == std::string_view::npos) {
            fault(fmt::format("\"{}\" is no letter of a layout", letter));
        }
        return std::string(1, letter);
    }

    /// The number behind `*`; 1 without it.
    std::size_t repetitions() {
        if (at_ == text_.size() || text_[at_] != '*') {
            return 1;
        }
        std::size_t times = 0;
        const std::size_t start = ++at_;
        for (; at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0; ++at_) {
            times = std::min<std::size_t>(kMaxLetters, 10 * times + static_cast<std::size_t>(text_[at_] - '0'));
        }
        if (at_ == start) {
            fault("no number after *");
        }
        return times;
    }

    [[noreturn]] void fault(const std::string& what) const {
        fail(
            node_.where, fmt::format("\"{}\": {}", node_.text, what),
            "stages between |, of E (embedding), t (layer), m (layer of one more token) and L (loss): \"Et*17|t*15L\"");
    }

    static constexpr int kMaxDepth = 8;
    const Node& node_;
    std::string_view text_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

}  // namespace

StageLayout read_layout(const Node& layout) {
    const std::string letters = LayoutReader(layout).letters();
    StageLayout read;
    for (std::size_t start = 0; start <= letters.size();) {
        const std::size_t end = std::min(letters.find('|', start), letters.size());
        const std::string stage = letters.substr(start, end - start);
        read.has_lone_m =
            read.has_lone_m || (stage.find('m') != std::string::npos && stage.find_first_of("tL") == std::string::npos);
        read.layers.push_back(std::count(stage.begin(), stage.end(), 't'));
        start = end + 1;
    }
    return read;
}

std::string layout_of_layers(const std::vector<std::int64_t>& layers) {
    std::string layout = "E";
    for (std::size_t i = 0; i < layers.size(); ++i) {
        layout += i == 0 ? "" : "|";
        layout += layers[i] == 0 ? "" : layers[i] == 1 ? "t" : fmt::format("t*{}", layers[i]);
    }
    return layout + "L";
}

}  // namespace dodona::files
