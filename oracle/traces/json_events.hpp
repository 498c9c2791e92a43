// Reads the elements of one array of a JSON document, and some of its other members, one at a time. The document is
// never held in memory.
#pragma once

#include <functional>
#include <istream>
#include <set>
#include <string>
#include <string_view>

#include "base/diagnostic.hpp"
#include "traces/json_members.hpp"

namespace dodona::traces {

using Names = std::set<std::string, std::less<>>;

struct JsonEvents {
    std::string_view array;  ///< the member whose elements come singly
    Names fields;            ///< of the elements and of what is in them; others are not kept
    Names members;           ///< other members of the document that are asked for
    std::function<void(const Json& element)> element;
    std::function<void(const std::string& name, const Json& value)> member;
};

/// Throws InputError, with the byte, for what is no JSON, for NaN and Infinity, for what is nested deeper than 64, for a
/// token of more than 1 MiB and for an element of more than a million values that are kept.
void read_events(std::istream& stream, const Location& whole, const JsonEvents& wanted);

}  // namespace dodona::traces
