#include "traces/json_members.hpp"

#include <algorithm>
#include <array>
#include <variant>

#include <fmt/format.h>

#include "files/number.hpp"
#include "files/text.hpp"

namespace dodona::traces {

namespace {

/// What is left of NaN, nan, Infinity, -Infinity and inf where a parser of JSON stops.
constexpr std::array<std::string_view, 4> kNotFinite{"N", "I", "na", ":i"};

}  // namespace

const Json* member(const Json& object, std::string_view name) {
    if (!object.is_object()) {
        return nullptr;
    }
    const auto found = object.find(name);
    return found == object.end() ? nullptr : &*found;
}

std::optional<double> number(const Json* value) {
    if (value == nullptr) {
        return std::nullopt;
    }
    if (value->is_number()) {
        return value->get<double>();
    }
    if (!value->is_string()) {
        return std::nullopt;
    }
    const auto read = files::decimal_from(files::trimmed(value->get_ref<const std::string&>()));
    return std::holds_alternative<double>(read) ? std::optional(std::get<double>(read)) : std::nullopt;
}

std::string word(const Json* value) {
    return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
}

const Json::array_t& elements(const Json* value) {
    static const Json::array_t none;
    return value != nullptr && value->is_array() ? value->get_ref<const Json::array_t&>() : none;
}

void fail_at_byte(const Location& whole, std::size_t byte, std::string_view near) {
    // Parsers stop at the first sign of it that no number has.
    const bool not_finite = std::any_of(kNotFinite.begin(), kNotFinite.end(),
                                        [&](std::string_view start) { return near.ends_with(start); });
    if (not_finite) {
        fail(whole, fmt::format("not JSON from byte {} on: NaN and Infinity are not allowed in it", byte),
             "replace them by null; some writers of traces put them in");
    }
    fail(whole, fmt::format("no JSON from byte {} on", byte), "is the file incomplete, or was it changed?");
}

Json read_json(const std::string& text, const Location& whole, std::string_view secret) {
    std::size_t byte = 0;
    const auto keep = [&](int, Json::parse_event_t event, const Json& parsed) {
        return secret.empty() || event != Json::parse_event_t::key || parsed.get_ref<const std::string&>() != secret;
    };
    try {
        return Json::parse(text, keep);
    } catch (const Json::parse_error& error) {
        byte = error.byte;
    } catch (const Json::exception&) {
        byte = text.size();  // a number that is too large
    }
    fail_at_byte(whole, byte, std::string_view(text).substr(0, byte));
}

}  // namespace dodona::traces
