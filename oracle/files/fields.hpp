// Typed reading of a document. Every fault is noted at its place and reading goes on; what was not asked for is a
// fault.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "base/quantity.hpp"
#include "files/document.hpp"
#include "files/quantity.hpp"

namespace dodona::files {

inline constexpr std::int64_t kMaxWhole = 1'000'000'000'000;

/// What a number may be.
struct Range {
    double least = -std::numeric_limits<double>::infinity();
    double most = std::numeric_limits<double>::infinity();
    bool without_least = false;
    bool without_most = false;
};

inline constexpr Range kPositive{.least = 0, .without_least = true};
inline constexpr Range kNotNegative{.least = 0};
inline constexpr Range kShare{.least = 0, .most = 1};
inline constexpr Range kPositiveShare{.least = 0, .most = 1, .without_least = true};
constexpr Range at_least(double least) { return {.least = least}; }

enum class Sign { positive, not_negative };

/// A node and its path (`levels[0].bandwidth`). It may be absent: then it reads as the fallback, in silence, because
/// whoever looked for it has already reported what was due.
class Value {
public:
    Value() = default;
    Value(const Node& node, std::string path, Diagnostics& faults)
        : node_(&node), path_(std::move(path)), faults_(&faults) {}

    explicit operator bool() const { return node_ != nullptr; }
    [[nodiscard]] const Node& node() const { return *node_; }
    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] const Location& where() const { return node_->where; }
    [[nodiscard]] Diagnostics& faults() const { return *faults_; }
    [[nodiscard]] bool is_scalar() const { return node_ != nullptr && node_->kind == Node::Kind::scalar; }
    [[nodiscard]] bool is_list() const { return node_ != nullptr && node_->kind == Node::Kind::list; }
    [[nodiscard]] bool is_mapping() const { return node_ != nullptr && node_->kind == Node::Kind::mapping; }

    /// `path: message`, at the node.
    void error(std::string_view message, std::string help = {}) const;

    [[nodiscard]] std::string text() const;  ///< any text that is not empty
    [[nodiscard]] bool flag(bool fallback = false) const;
    [[nodiscard]] std::int64_t whole(std::int64_t least, std::int64_t most = kMaxWhole,
                                     std::int64_t fallback = 1) const;
    [[nodiscard]] double number(const Range& range, double fallback = 0) const;
    /// The index of the text among the choices.
    [[nodiscard]] std::size_t choice(const std::vector<std::string>& choices, std::size_t fallback = 0) const;
    [[nodiscard]] std::vector<Value> list() const;
    [[nodiscard]] std::vector<std::string> texts() const;  ///< a text, or a list of them

    /// A quantity in base units.
    [[nodiscard]] double base_units(Dimensions due, Sign sign, double fallback) const;
    template <Dimensions D>
    [[nodiscard]] Quantity<D> quantity(Sign sign, Quantity<D> fallback) const {
        return Quantity<D>::of_base(base_units(D, sign, fallback.in(Quantity<D>::of_base(1))));
    }
    /// One of an enumeration's values, each called by its name(...).
    template <typename Choice, std::size_t N>
    [[nodiscard]] Choice one_of(const std::array<Choice, N>& choices, Choice fallback) const;

    /// The same node, or `value` of {value, source, note}.
    [[nodiscard]] Value bare() const;

private:
    [[nodiscard]] bool require_scalar(std::string_view due) const;

    const Node* node_ = nullptr;
    std::string path_;
    Diagnostics* faults_ = nullptr;
};

/// The keys of a mapping, each asked for by name. `source` and `note` are texts that any mapping may carry.
class Fields {
public:
    struct Member {
        std::string key;
        Location where;
        Value value;
    };

    /// `help`: beside the message that the value is no mapping.
    explicit Fields(const Value& mapping, std::string help = {});

    /// The value of an optional key; absent if there is none.
    Value find(const std::string& key);
    /// The same; messages do not name the key among those that are accepted.
    Value find_unlisted(const std::string& key);
    /// The value of a key that must be there; finish() reports its absence at the mapping.
    Value require(const std::string& key, const std::string& help = {});
    /// Everything not asked for so far, in the order of the file.
    std::vector<Member> rest();
    /// Reports what is missing and what nobody asked for; of a misspelt key only the second.
    void finish();

    [[nodiscard]] const Value& mapping() const { return mapping_; }

private:
    struct Missing {
        std::string key;
        std::string help;
    };

    [[nodiscard]] std::string path_of(const std::string& key) const;
    [[nodiscard]] Value at(const std::string& key) const;

    Value mapping_;
    std::vector<std::string> asked_;
    std::vector<std::string> unlisted_;
    std::vector<Missing> missing_;
};

template <typename Choice, std::size_t N>
Choice Value::one_of(const std::array<Choice, N>& choices, Choice fallback) const {
    if (!*this) {
        return fallback;
    }
    std::vector<std::string> names;
    std::size_t fallback_index = 0;
    for (std::size_t i = 0; i < N; ++i) {
        names.emplace_back(name(choices[i]));
        fallback_index = choices[i] == fallback ? i : fallback_index;
    }
    return choices[choice(names, fallback_index)];
}

}  // namespace dodona::files
