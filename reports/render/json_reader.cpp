#include "reports/render/json_reader.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/diagnostic.hpp"
#include "base/ranges.hpp"

namespace dodona::reports {

namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr const char* kHelp = "a report is written by `dodona report -o FILE.json` or FILE.html";

constexpr int kDeepest = 64;

/// Throws where nesting goes deeper, before it fills the stack.
Record record_of(const OrderedJson& json, const Location& whole, int depth = 0) {
    if (depth > kDeepest) {
        fail(whole, fmt::format("nested more than {} deep", kDeepest), kHelp);
    }
    switch (json.type()) {
        case OrderedJson::value_t::boolean: return json.get<bool>();
        case OrderedJson::value_t::number_integer: return json.get<std::int64_t>();
        case OrderedJson::value_t::number_unsigned: {
            const auto number = json.get<std::uint64_t>();
            const bool fits = number <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
            return fits ? Record(static_cast<std::int64_t>(number)) : Record(static_cast<double>(number));
        }
        case OrderedJson::value_t::number_float: return json.get<double>();
        case OrderedJson::value_t::string: return json.get<std::string>();
        case OrderedJson::value_t::array: {
            Record::List list;
            append(list, json, [&](const OrderedJson& element) { return record_of(element, whole, depth + 1); });
            return list;
        }
        case OrderedJson::value_t::object: {
            Record::Fields fields;
            for (const auto& [key, value] : json.items()) {
                fields.push_back({key, record_of(value, whole, depth + 1)});
            }
            return fields;
        }
        default: return nullptr;
    }
}

/// Where the byte of that number is in the text.
Location place_of(const std::string& text, const std::string& name, std::size_t byte) {
    const std::size_t at = std::min(byte > 0 ? byte - 1 : 0, text.size());
    const auto begin = text.begin();
    const auto line = std::count(begin, begin + static_cast<std::ptrdiff_t>(at), '\n') + 1;
    const std::size_t before = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
    const std::size_t start = before == std::string::npos ? 0 : before + 1;
    return {.source = std::make_shared<Source>(Source{name, {}}),
            .line = static_cast<int>(line),
            .column = static_cast<int>(at - start) + 1};
}

}  // namespace

Record record_of_json(const std::string& text, const std::string& name) {
    const Location whole{.source = std::make_shared<Source>(Source{name, {}})};
    try {
        return record_of(OrderedJson::parse(text), whole);
    } catch (const OrderedJson::parse_error& error) {
        fail(place_of(text, name, error.byte), "this is no JSON from here on", kHelp);
    } catch (const OrderedJson::out_of_range&) {
        fail(whole, "a number that is too large", kHelp);
    }
}

std::string result_text(const std::string& text, const std::string& name) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string::npos || text[first] != '<') {
        return text;
    }
    const std::size_t element = text.find(kResultElement);
    const std::size_t end = element == std::string::npos ? element : text.find("</script>", element);
    if (end == std::string::npos) {
        fail({.source = std::make_shared<Source>(Source{name, {}})}, "the page carries no result of dodona",
             "pages that `dodona report -o FILE.html` writes carry theirs");
    }
    const std::size_t start = element + kResultElement.size();
    return text.substr(start, end - start);
}

}  // namespace dodona::reports
