#include "files/json_writer.hpp"

#include <algorithm>
#include <cmath>

namespace dodona::files {

namespace {

std::string_view unit_suffix(const ValueType& type);

/// What the unit of a value adds to its key.
struct UnitSuffix {
    std::string_view operator()(const QuantityType& type) const { return quantity_kind(type.dimensions).json_suffix; }
    std::string_view operator()(const OptionalType& type) const { return unit_suffix(*type.element); }
    std::string_view operator()(const ListType& type) const { return unit_suffix(*type.element); }
    std::string_view operator()(const MapType& type) const { return unit_suffix(*type.element); }
    std::string_view operator()(const ConvertedType& type) const { return unit_suffix(*type.written); }
    std::string_view operator()(const RecordType& type) const {
        const Description& description = type.description();
        return description.by_position ? unit_suffix(description.keys.front().type) : "";
    }
    template <class Other>
    std::string_view operator()(const Other& /*type*/) const {
        return "";
    }
};

std::string_view unit_suffix(const ValueType& type) { return std::visit(UnitSuffix{}, type.type); }

Json value_json(const ValueType& type, const void* member);

Json number_json(double value) {
    constexpr double kExactWhole = 0x1p53;
    if (!std::isfinite(value)) {
        return nullptr;
    }
    const bool is_whole = std::floor(value) == value && std::abs(value) < kExactWhole;
    return is_whole ? Json(static_cast<std::int64_t>(value)) : Json(value);
}

struct ToJson {
    const void* member;

    Json operator()(const TextType& /*type*/) const {
        const auto& text = *static_cast<const std::string*>(member);
        return text.empty() ? Json(nullptr) : Json(text);
    }
    Json operator()(const FlagType& /*type*/) const { return *static_cast<const bool*>(member); }
    Json operator()(const WholeType& type) const { return number_json(type.get(member)); }
    Json operator()(const NumberType& /*type*/) const { return number_json(*static_cast<const double*>(member)); }
    Json operator()(const QuantityType& type) const { return number_json(type.get(member)); }
    Json operator()(const EnumType& type) const { return choice_name(type, member); }
    Json operator()(const RecordType& type) const { return to_json(type.description(), member); }
    Json operator()(const OptionalType& type) const {
        const void* const value = type.get(member);
        return value == nullptr ? Json(nullptr) : value_json(*type.element, value);
    }
    Json operator()(const ListType& type) const {
        Json list = Json::array();
        for (std::size_t i = 0; i < type.size(member); ++i) {
            list.push_back(value_json(*type.element, type.at(member, i)));
        }
        return list;
    }
    Json operator()(const MapType& type) const {
        Json map = Json::object();
        type.each(member, [&](std::string_view key, const void* element) {
            map[std::string(key)] = value_json(*type.element, element);
        });
        return map;
    }
    Json operator()(const ConvertedType& type) const { return value_json(*type.written, type.from(member).get()); }
    Json operator()(const ReferenceType& type) const {
        return to_json(type.description(), type.object(const_cast<void*>(member)));
    }
    Json operator()(const OwnType& /*type*/) const { return nullptr; }
};

Json value_json(const ValueType& type, const void* member) { return std::visit(ToJson{member}, type.type); }

bool is_there(const Description& description, const Key& key, const void* object) {
    return applies(description, key, object) && (key.is_absent == nullptr || !key.is_absent(object));
}

}  // namespace

Json to_json(const Description& description, const void* object) {
    if (description.by_position) {
        Json values = Json::array();
        for (const Key& key : description.keys) {
            values.push_back(value_json(key.type, key.of(object)));
        }
        return values;
    }
    Json json = Json::object();
    for (const Key& key : description.keys) {
        const bool is_name = !description.file_kind.empty() && &key == &description.keys.front();
        const std::string name = is_name ? "name" : key.name + std::string(unit_suffix(key.type));
        if (is_there(description, key, object)) {
            json[name] = value_json(key.type, key.of(object));
        } else if (!json.contains(name)) {  // several keys may have one name, of which one applies
            json[name] = nullptr;
        }
    }
    return json;
}

}  // namespace dodona::files
