// The record of a document as JSON. The only file of the reports that includes the JSON library.
#include "reports/render/json.hpp"

#include <nlohmann/json.hpp>

#include "base/printable.hpp"
#include "base/ranges.hpp"
#include "reports/render/renderer.hpp"

namespace dodona::reports {

namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Record& record);

struct JsonOf {
    Json operator()(const Record::List& list) const {
        Json::array_t elements;
        elements.reserve(list.size());
        append(elements, list, [&](const Record& element) { return json_of(element); });
        return elements;
    }
    Json operator()(const Record::Fields& fields) const {
        Json::object_t members;
        members.reserve(fields.size());
        for (const Record::Field& field : fields) {
            members.emplace_back(field.key, json_of(field.value));
        }
        return members;
    }
    template <class T>
    Json operator()(const T& value) const {
        return value;
    }
};

Json json_of(const Record& record) { return std::visit(JsonOf{}, record.of()); }

std::string printed(const Record& record, int indent) {
    return printable_json(json_of(record).dump(indent, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

std::string json_line(const Record& record) { return printed(record, -1); }

std::string json_page(const Record& record) { return printed(record, 2) + "\n"; }

std::string render_json(const Document& document, const Page&) { return json_page(document.record); }

}  // namespace dodona::reports
