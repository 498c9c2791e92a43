#include "graph/attributes.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace dodona::graph {

namespace {

/// The largest extent that is accepted: larger numbers are mistakes, and products of two extents stay in range.
constexpr std::int64_t kLargest = 1'000'000'000;

/// Expressions evaluate to decimals; those without a fraction count as whole numbers.
std::optional<std::int64_t> whole_number(const AttributeValue& attribute) {
    if (const auto* whole = std::get_if<std::int64_t>(&attribute.value)) {
        return *whole;
    }
    constexpr double kExact = 0x1p53;
    const auto* decimal = std::get_if<double>(&attribute.value);
    if (decimal != nullptr && std::abs(*decimal) <= kExact && std::trunc(*decimal) == *decimal) {
        return static_cast<std::int64_t>(*decimal);
    }
    return std::nullopt;
}

std::string as_written(const AttributeValue& attribute) {
    if (const auto* word = std::get_if<std::string>(&attribute.value)) {
        return fmt::format("\"{}\"", *word);
    }
    if (const auto* list = std::get_if<std::vector<std::int64_t>>(&attribute.value)) {
        return fmt::format("[{}]", fmt::join(*list, ", "));
    }
    if (const auto* flag = std::get_if<bool>(&attribute.value)) {
        return *flag ? "true" : "false";
    }
    if (const auto* decimal = std::get_if<double>(&attribute.value)) {
        return fmt::format("{}", *decimal);
    }
    return fmt::format("{}", std::get<std::int64_t>(attribute.value));
}

std::string range_text(std::int64_t least) { return fmt::format("a whole number from {} to {}", least, kLargest); }

}  // namespace

Attributes::Attributes(std::string layer, Location where, std::map<std::string, AttributeValue> values,
                       Diagnostics& diagnostics)
    : layer_(std::move(layer)), where_(std::move(where)), values_(std::move(values)), diagnostics_(&diagnostics) {}

const AttributeValue* Attributes::ask(const std::string& key) {
    if (std::find(asked_.begin(), asked_.end(), key) == asked_.end()) {
        asked_.push_back(key);
    }
    const auto found = values_.find(key);
    return found == values_.end() ? nullptr : &found->second;
}

std::int64_t Attributes::at_least(std::int64_t least, const std::string& key, std::optional<std::int64_t> fallback) {
    const AttributeValue* attribute = ask(key);
    if (attribute == nullptr) {
        if (!fallback) {
            error_at(key, "missing", fmt::format("give {}", range_text(least)));
        }
        return fallback.value_or(1);
    }
    const auto number = whole_number(*attribute);
    if (!number) {
        error_at(key, fmt::format("{} is not a whole number", as_written(*attribute)),
                 fmt::format("give {}", range_text(least)));
        return fallback.value_or(1);
    }
    if (*number < least || *number > kLargest) {
        error_at(key, fmt::format("{} is out of range", *number), fmt::format("give {}", range_text(least)));
        return fallback.value_or(1);
    }
    return *number;
}

std::int64_t Attributes::positive(const std::string& key) { return at_least(1, key, std::nullopt); }

std::int64_t Attributes::positive(const std::string& key, std::int64_t fallback) { return at_least(1, key, fallback); }

std::int64_t Attributes::not_negative(const std::string& key, std::int64_t fallback) {
    return at_least(0, key, fallback);
}

std::vector<std::int64_t> Attributes::per_dimension(const std::string& key, std::size_t count, std::int64_t fallback,
                                                    bool required, std::int64_t least) {
    const AttributeValue* attribute = ask(key);
    const auto* list = attribute == nullptr ? nullptr : std::get_if<std::vector<std::int64_t>>(&attribute->value);
    if (list == nullptr) {
        const auto single = required ? at_least(least, key, std::nullopt) : at_least(least, key, fallback);
        return std::vector<std::int64_t>(count, single);
    }
    if (list->size() != count) {
        error_at(key, fmt::format("a list of {} for {} dimension{}", list->size(), count, count == 1 ? "" : "s"),
                 fmt::format("give one number for all dimensions, or a list of {}", count));
        return std::vector<std::int64_t>(count, fallback);
    }
    for (const std::int64_t number : *list) {
        if (number < least || number > kLargest) {
            error_at(key, fmt::format("{} is out of range", number),
                     fmt::format("give for each dimension {}", range_text(least)));
            return std::vector<std::int64_t>(count, fallback);
        }
    }
    return *list;
}

double Attributes::decimal(const std::string& key, double fallback, double least) {
    const AttributeValue* attribute = ask(key);
    if (attribute == nullptr) {
        return fallback;
    }
    const auto* decimal = std::get_if<double>(&attribute->value);
    const auto* whole = std::get_if<std::int64_t>(&attribute->value);
    if (decimal == nullptr && whole == nullptr) {
        error_at(key, fmt::format("{} is not a number", as_written(*attribute)));
        return fallback;
    }
    const double number = decimal != nullptr ? *decimal : static_cast<double>(*whole);
    if (!(number >= least) || number > static_cast<double>(kLargest)) {
        error_at(key, fmt::format("{} is out of range", number), fmt::format("give {} or more", least));
        return fallback;
    }
    return number;
}

bool Attributes::flag(const std::string& key, bool fallback) {
    const AttributeValue* attribute = ask(key);
    if (attribute == nullptr) {
        return fallback;
    }
    const auto* flag = std::get_if<bool>(&attribute->value);
    if (flag == nullptr) {
        error_at(key, fmt::format("{} is neither true nor false", as_written(*attribute)));
        return fallback;
    }
    return *flag;
}

std::string Attributes::word(const std::string& key, const std::vector<std::string>& choices,
                             const std::string& fallback) {
    const AttributeValue* attribute = ask(key);
    if (attribute == nullptr) {
        return fallback;
    }
    const auto* word = std::get_if<std::string>(&attribute->value);
    if (word == nullptr || std::find(choices.begin(), choices.end(), *word) == choices.end()) {
        const std::string suggestion = word == nullptr ? std::string{} : did_you_mean(*word, choices);
        error_at(key, fmt::format("{} is not a choice here{}", as_written(*attribute), suggestion),
                 fmt::format("accepted here: {}", join(choices)));
        return fallback;
    }
    return *word;
}

std::string Attributes::text(const std::string& key) {
    const AttributeValue* attribute = ask(key);
    if (attribute == nullptr) {
        return {};
    }
    const auto* word = std::get_if<std::string>(&attribute->value);
    if (word == nullptr) {
        error_at(key, fmt::format("{} is not a word", as_written(*attribute)));
        return {};
    }
    return *word;
}

std::vector<std::int64_t> Attributes::list(const std::string& key, std::int64_t least) {
    const AttributeValue* attribute = ask(key);
    if (attribute == nullptr) {
        error_at(key, "missing", fmt::format("give a list, each {}", range_text(least)));
        return {};
    }
    const auto* numbers = std::get_if<std::vector<std::int64_t>>(&attribute->value);
    if (numbers == nullptr) {
        return {at_least(least, key, std::nullopt)};
    }
    if (numbers->empty()) {
        error_at(key, "an empty list", fmt::format("give a list, each {}", range_text(least)));
    }
    for (const std::int64_t number : *numbers) {
        if (number < least || number > kLargest) {
            error_at(key, fmt::format("{} is out of range", number), fmt::format("each is {}", range_text(least)));
            return {};
        }
    }
    return *numbers;
}

bool Attributes::has(const std::string& key) const { return values_.contains(key); }

void Attributes::error(const std::string& message, const std::string& help) {
    diagnostics_->error(where_, fmt::format("{}: {}", layer_, message), help);
}

void Attributes::error_at(const std::string& key, const std::string& message, const std::string& help) {
    const auto found = values_.find(key);
    diagnostics_->error(found == values_.end() ? where_ : found->second.where,
                        fmt::format("{}.{}: {}", layer_, key, message), help);
}

void Attributes::report_unread() {
    for (const auto& [key, attribute] : values_) {
        if (std::find(asked_.begin(), asked_.end(), key) == asked_.end()) {
            error_at(
                key, fmt::format("unknown attribute{}", did_you_mean(key, asked_)),
                asked_.empty() ? "this operator has no attributes" : fmt::format("accepted here: {}", join(asked_)));
        }
    }
}

}  // namespace dodona::graph
