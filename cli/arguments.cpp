#include "cli/arguments.hpp"

#include <algorithm>
#include <variant>

#include <fmt/format.h>

#include "base/enumeration.hpp"
#include "base/precision.hpp"
#include "base/ranges.hpp"
#include "cli/words.hpp"
#include "files/number.hpp"
#include "files/quantity.hpp"

namespace dodona::cli {

std::vector<std::string> between_commas(const std::string& typed) {
    std::vector<std::string> parts;
    std::size_t begin = 0;
    while (true) {
        const std::size_t comma = typed.find(',', begin);
        parts.push_back(typed.substr(begin, comma == std::string::npos ? comma : comma - begin));
        if (comma == std::string::npos) {
            return parts;
        }
        begin = comma + 1;
    }
}

std::string as_typed(std::string_view typed) {
    constexpr std::size_t kLongest = 60;
    std::string shown;
    for (const char c : typed.substr(0, kLongest)) {
        shown += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c;
    }
    return "\"" + shown + (typed.size() > kLongest ? "..." : "") + "\"";
}

std::string no_choice(const std::string& typed, std::span<const std::string> choices) {
    return fmt::format("{} is not one of {}{}", as_typed(typed), join(choices), did_you_mean(typed, choices));
}

bool Arguments::has(const std::string& name) const {
    const auto found = values_.find(name);
    return found != values_.end() && !found->second.empty();
}

Arguments Arguments::with(const std::string& name, const std::string& value) const {
    Values values = values_;
    Places places = places_;
    values.erase(name);
    places.erase(name);
    if (!value.empty()) {
        values[name] = {value};
    }
    return Arguments(std::move(values), std::move(places));
}

std::vector<std::string> Arguments::all(const std::string& name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? std::vector<std::string>{} : found->second;
}

void Arguments::give(const std::string& name, const std::string& value, bool repeats) {
    if (repeats || !has(name)) {
        values_[name].push_back(value);
    }
}

void Arguments::fault(const std::string& name, const std::string& message, const std::string& help) {
    faults_.error(place(name.substr(0, name.find(' '))), name + ": " + message, help);
}

void Arguments::take(const Diagnostics& faults) {
    for (const Diagnostic& fault : faults.all()) {
        faults_.error(fault.where, fault.message, fault.help);
    }
}

Location Arguments::place(const std::string& name) const {
    const auto found = places_.find(name);
    return found == places_.end() ? Location{} : found->second;
}

void Arguments::refuse(const std::string& name, const std::string& message) {
    if (refused_.insert(name).second) {
        fault(name, message);
    }
}

void Arguments::missing(const std::string& what, const std::string& help) {
    faults_.error({}, what + " is missing", help);
}

namespace {

/// A hint for a word that is no count of this option; may be empty.
std::string hint_for(const std::string& name, const std::string& typed) {
    constexpr double kSample = 8192;  // tokens
    if (const auto tokens = amount_meant(typed); name == "--batch" && tokens >= kSample) {
        return fmt::format(
            "a batch is counted in samples: divide its tokens by those of a sample: -b {:.0f} of samples of "
            "8,192 tokens, -b {:.0f} of 4,096",
            *tokens / kSample, *tokens / (kSample / 2));
    }
    if (name != "--gpus") {
        return "";
    }
    const auto precision = choice_meant(typed, value_names<Precision>());
    return precision                                 ? "-p is short for --gpus; write --precision " + *precision
           : typed.find("node") != std::string::npos ? "GPUs of all nodes together: 32 for 4 nodes of 8"
           : typed.find("..") != typed.npos || typed.find('-', 1) != typed.npos
               ? "several numbers are 8,16,32 or 8..64, for report, size and limits"
               : "";
}

}  // namespace

std::optional<std::string> Arguments::text(const std::string& name) {
    if (!has(name)) {
        return std::nullopt;
    }
    const std::vector<std::string>& values = values_[name];
    if (values.size() > 1) {
        std::string hint = "give it once";
        for (const std::string& value : values) {
            const std::string special = hint_for(name, value);
            hint = special.empty() ? hint : special;
        }
        fault(name, fmt::format("given {} times", values.size()), hint);
    } else if (values.front().empty()) {
        fault(name, "the value is empty");
        return std::nullopt;
    }
    return values.front();
}

std::string Arguments::required_text(const std::string& name, const std::string& help) {
    if (!has(name)) {
        missing(name, help);
    }
    return text(name).value_or("");
}

std::optional<std::int64_t> Arguments::count_from(const std::string& name, const std::string& typed,
                                                  std::int64_t most) {
    const bool may_be_tokens = name == "--batch" && typed.ends_with('M');
    const auto multiple = may_be_tokens ? std::nullopt : count_meant(typed);
    const auto read = multiple ? *multiple : files::whole_from(typed);
    const auto* value = std::get_if<std::int64_t>(&read);
    const bool too_many_digits = !value && typed.size() > 18 && typed.find_first_not_of("0123456789") == typed.npos;
    if (too_many_digits || (value && *value > most)) {
        fault(name, fmt::format("{} is more than {}", as_typed(typed), most));
        return std::nullopt;
    }
    if (!value || *value < 1) {
        fault(name, as_typed(typed) + " is not a whole number greater than 0", hint_for(name, typed));
        return std::nullopt;
    }
    return *value;
}

std::optional<std::int64_t> Arguments::count(const std::string& name, std::int64_t most) {
    const auto typed = text(name);
    return typed ? count_from(name, *typed, most) : std::nullopt;
}

std::optional<std::int64_t> Arguments::required_count(const std::string& name, const std::string& help) {
    if (!has(name)) {
        missing(name, help);
    }
    return count(name);
}

std::optional<double> Arguments::ratio(const std::string& name, double least) {
    const auto typed = text(name);
    if (!typed) {
        return std::nullopt;
    }
    const auto read = files::decimal_from(*typed);
    const auto* value = std::get_if<double>(&read);
    if (!value || *value < least || *value > 1e6) {
        fault(name, fmt::format("{} is not a number between {} and 1000000", as_typed(*typed), least));
        return std::nullopt;
    }
    return *value;
}

std::optional<double> Arguments::amount(const std::string& name) {
    constexpr double kMin = 1e-9;
    constexpr double kMax = 1e24;
    const auto typed = text(name);
    if (!typed) {
        return std::nullopt;
    }
    const auto value = amount_meant(*typed);
    if (value && (*value > kMax || *value < kMin)) {
        fault(name, fmt::format("{} is out of range: {} to {}", as_typed(*typed), kMin, kMax));
        return std::nullopt;
    }
    if (!value) {
        fault(name, fmt::format("{} is not a number greater than 0", as_typed(*typed)), "for example 1.5e13 or 15T");
        return std::nullopt;
    }
    return *value;
}

template <Dimensions D>
std::optional<Quantity<D>> Arguments::positive(const std::string& name, const std::string& help) {
    const auto typed = text(name);
    if (!typed) {
        return std::nullopt;
    }
    const auto read = files::quantity_from<D>(D == Dimensions{.second = 1} ? duration_meant(*typed) : *typed);
    if (const auto* fault_found = std::get_if<files::NotAQuantity>(&read)) {
        const bool has_number = typed->find_first_of("0123456789") < 2;  // ".5", "-1"
        fault(name, fault_found->message, has_number ? fault_found->help : help);
        return std::nullopt;
    }
    const auto value = std::get<Quantity<D>>(read);
    if (value <= Quantity<D>{}) {
        fault(name, as_typed(*typed) + " is not more than nothing", help);
        return std::nullopt;
    }
    constexpr double kMin = D == Dimensions{.second = 1} ? 1e-12 : 1;  // base units: less than any device or link has
    if (value < Quantity<D>::of_base(kMin)) {
        fault(name, as_typed(*typed) + " is out of range", help);
        return std::nullopt;
    }
    return value;
}

std::optional<Bytes> Arguments::size(const std::string& name) {
    return positive<Dimensions{.byte = 1}>(name, "a size with its unit: 40GiB");
}

std::optional<Seconds> Arguments::duration(const std::string& name) {
    return positive<Dimensions{.second = 1}>(name, "a duration with its unit: 30d, 12h or 9us");
}

std::optional<BytesPerSecond> Arguments::bandwidth(const std::string& name) {
    return positive<Dimensions{.second = -1, .byte = 1}>(name, "a bandwidth with its unit: 2GB/s");
}

std::optional<Power> Arguments::power(const std::string& name) {
    return positive<Dimensions{.second = -1, .joule = 1}>(name, "a power with its unit: 700W");
}

std::optional<std::string> Arguments::word(const std::string& name, std::span<const std::string> choices) {
    const auto typed = text(name);
    if (typed && std::find(choices.begin(), choices.end(), *typed) == choices.end()) {
        if (auto meant = choice_meant(*typed, choices)) {
            return meant;
        }
        if (!refused_.contains(name)) {
            fault(name, no_choice(*typed, choices));
        }
        return std::nullopt;
    }
    return typed;
}

std::vector<std::string> Arguments::list(const std::string& name) {
    const auto typed = text(name);
    if (!typed) {
        return {};
    }
    std::vector<std::string> parts = between_commas(*typed);
    if (std::find(parts.begin(), parts.end(), "") != parts.end()) {
        fault(name, as_typed(*typed) + " has an empty entry", "values between commas, without blanks: a,b");
        return {};
    }
    return parts;
}

std::vector<std::int64_t> Arguments::counts(const std::string& name, bool with_zero) {
    return mapped<std::int64_t>(list(name), [&](const std::string& part) {
        return with_zero && part == "0" ? 0 : count_from(name, part, kMaxCount).value_or(1);
    });
}

std::vector<std::pair<std::string, std::int64_t>> Arguments::sizes(const std::string& name) {
    std::vector<std::pair<std::string, std::int64_t>> entries;
    for (const std::string& part : list(name)) {
        const auto sized = sized_axis(part);
        if (!sized) {
            fault(name, as_typed(part) + " is not axis=size", "for example tensor=8,data=16, innermost axis first");
            continue;
        }
        const auto& [key, size] = *sized;
        const bool again = any_of(entries, [&, called = key](const auto& e) { return e.first == called; });
        if (again) {
            fault(name, "axis " + as_typed(key) + " is given twice");
            continue;
        }
        entries.emplace_back(key, count_from(name, size, kMaxCount).value_or(1));
    }
    return entries;
}

}  // namespace dodona::cli
