#include "reports/collect/described_record.hpp"

#include <algorithm>

namespace dodona::reports {

using namespace files;

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
        const bool has_one = description.by_position || description.one_unit;
        return has_one ? unit_suffix(description.keys.front().type) : "";
    }
    template <class Other>
    std::string_view operator()(const Other& /*type*/) const {
        return "";
    }
};

std::string_view unit_suffix(const ValueType& type) { return std::visit(UnitSuffix{}, type.type); }

Record value_record(const ValueType& type, const void* member);

struct ToRecord {
    const void* member;

    Record operator()(const TextType& type) const {
        const auto& text = *static_cast<const std::string*>(member);
        return type.form != nullptr && type.form->may_be_empty ? Record(text) : text_or_null(text);
    }
    Record operator()(const FlagType& /*type*/) const { return *static_cast<const bool*>(member); }
    Record operator()(const WholeType& type) const { return type.get(member); }
    Record operator()(const NumberType& /*type*/) const { return *static_cast<const double*>(member); }
    Record operator()(const QuantityType& type) const { return type.get(member); }
    Record operator()(const EnumType& type) const { return choice_name(type, member); }
    Record operator()(const RecordType& type) const { return described_record(type.description(), member); }
    Record operator()(const OptionalType& type) const {
        const void* const value = type.get(member);
        return value == nullptr ? Record() : value_record(*type.element, value);
    }
    Record operator()(const ListType& type) const {
        Record list = no_elements();
        for (std::size_t i = 0; i < type.size(member); ++i) {
            list.push_back(value_record(*type.element, type.at(member, i)));
        }
        return list;
    }
    Record operator()(const MapType& type) const {
        Record map = no_fields();
        type.each(member,
                  [&](std::string_view key, const void* element) { map[key] = value_record(*type.element, element); });
        return map;
    }
    Record operator()(const ConvertedType& type) const { return value_record(*type.written, type.from(member).get()); }
    Record operator()(const ReferenceType& type) const {
        return described_record(type.description(), type.object(const_cast<void*>(member)));
    }
    Record operator()(const OwnType& /*type*/) const { return {}; }
};

Record value_record(const ValueType& type, const void* member) { return std::visit(ToRecord{member}, type.type); }

bool is_there(const Description& description, const Key& key, const void* object) {
    return applies(description, key, object) && (key.is_absent == nullptr || !key.is_absent(object));
}

}  // namespace

std::string record_key(const Description& description, const Key& key) {
    const bool is_name = !description.file_kind.empty() && &key == &description.keys.front();
    return is_name ? "name" : description.one_unit ? key.name : key.name + std::string(unit_suffix(key.type));
}

Record described_record(const Description& description, const void* object) {
    if (description.by_position) {
        Record values = no_elements();
        for (const Key& key : description.keys) {
            values.push_back(value_record(key.type, key.of(object)));
        }
        return values;
    }
    Record record = no_fields();
    for (const Key& key : description.keys) {
        Record value = is_there(description, key, object) ? value_record(key.type, key.of(object)) : Record();
        if (key.in_place) {
            record.append(std::move(value));
            continue;
        }
        if (value.is_null() && key.left_out) {
            continue;
        }
        Record& field = record[record_key(description, key)];
        if (!value.is_null()) {  // several keys may have one name, of which one applies
            field = std::move(value);
        }
    }
    return record;
}

}  // namespace dodona::reports
