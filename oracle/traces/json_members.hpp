// Members of JSON objects that may be missing, null, or numbers and truths written as strings.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/diagnostic.hpp"

namespace dodona::traces {

using Json = nlohmann::json;

/// Null where `object` is no object or has no such member.
const Json* member(const Json& object, std::string_view name);
/// Of a number, or of a string that is one; none of "nan", "N/A" and all else.
std::optional<double> number(const Json* value);
std::string word(const Json* value);  ///< empty where it is no string
/// The elements of an array; none of all else.
const Json::array_t& elements(const Json* value);

/// A text is no JSON from that byte on. `near` is what stands up to there, or the token that is wrong.
[[noreturn]] void fail_at_byte(const Location& whole, std::size_t byte, std::string_view near);

/// Throws InputError, with the byte, for what is no JSON. Members named `secret` are not read at all.
Json read_json(const std::string& text, const Location& whole, std::string_view secret = {});

}  // namespace dodona::traces
