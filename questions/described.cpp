#include "questions/described.hpp"

#include <cmath>
#include <string>
#include <variant>

#include "reports/collect/described_record.hpp"

namespace dodona::questions {

namespace {

using reports::Record;

/// "dodona/cache/1": the first value of its JSON.
std::string schema_name(const files::Description& description) { return "dodona/" + description.noun + "/1"; }

Record schema_of(const files::ValueType& type);

Record of_type(const char* type) {
    Record schema;
    schema["type"] = type;
    return schema;
}

Record within(const char* type, const files::Range& range) {
    Record schema = of_type(type);
    if (std::isfinite(range.least)) {
        schema[range.without_least ? "exclusiveMinimum" : "minimum"] = range.least;
    }
    if (std::isfinite(range.most)) {
        schema[range.without_most ? "exclusiveMaximum" : "maximum"] = range.most;
    }
    return schema;
}

/// The same value, or null.
Record or_null(Record schema) {
    Record::Field first = std::get<Record::Fields>(schema.of()).front();
    if (first.key == "enum") {
        first.value.push_back(nullptr);
    } else {
        first.value = Record::List{first.value, "null"};
    }
    schema[first.key] = first.value;
    return schema;
}

Record object_schema(const files::Description& description) {
    Record properties = reports::no_fields();
    Record required = reports::no_elements();
    for (const files::Key& key : description.keys) {
        const std::string name = reports::record_key(description, key);
        const bool may_be_empty = !key.required && std::holds_alternative<files::TextType>(key.type.type);
        Record value = schema_of(key.type);
        value = may_be_empty || key.is_absent != nullptr ? or_null(std::move(value)) : std::move(value);
        if (!key.meaning.empty()) {
            value["description"] = key.meaning;
        }
        properties[name] = std::move(value);
        required.push_back(name);
    }
    Record schema = of_type("object");
    schema["properties"] = std::move(properties);
    schema["required"] = std::move(required);
    schema["additionalProperties"] = false;
    return schema;
}

struct SchemaOf {
    Record operator()(const files::TextType& type) const {
        if (type.form == nullptr || type.form->choices == nullptr) {
            return of_type("string");
        }
        Record schema;
        schema["enum"] = type.form->choices();
        return schema;
    }
    Record operator()(const files::FlagType& /*type*/) const { return of_type("boolean"); }
    Record operator()(const files::WholeType& type) const { return within("integer", type.range); }
    Record operator()(const files::NumberType& type) const { return within("number", type.range); }
    Record operator()(const files::QuantityType& type) const {
        return within("number", type.sign == files::Sign::positive ? files::kPositive : files::kNotNegative);
    }
    Record operator()(const files::EnumType& type) const {
        Record schema;
        for (const files::EnumType::Choice& choice : type.choices) {
            schema["enum"].push_back(choice.name);
        }
        return schema;
    }
    Record operator()(const files::RecordType& type) const { return object_schema(type.description()); }
    Record operator()(const files::OptionalType& type) const { return or_null(schema_of(*type.element)); }
    Record operator()(const files::ListType& type) const {
        Record schema = of_type("array");
        if (!type.none.empty()) {
            schema["minItems"] = 1;
        }
        schema["items"] = schema_of(*type.element);
        return schema;
    }
    Record operator()(const files::MapType& type) const {
        Record schema = of_type("object");
        schema["additionalProperties"] = schema_of(*type.element);
        return schema;
    }
    Record operator()(const files::ConvertedType& type) const { return schema_of(*type.written); }
    Record operator()(const files::ReferenceType& type) const { return object_schema(type.description()); }
    Record operator()(const files::OwnType& type) const {
        Record reference;
        reference["$ref"] = type.schema;
        return type.is_record ? reference : of_type("null");
    }
};

Record schema_of(const files::ValueType& type) { return std::visit(SchemaOf{}, type.type); }

/// Rows without what is null and has fields in other rows, which have these as columns.
Record::List rows_of(Record::List rows, const files::ValueType& list) {
    const files::Description& description =
        std::get<files::RecordType>(std::get<files::ListType>(list.type).element->type).description();
    for (const files::Key& key : description.keys) {
        const auto* const optional = std::get_if<files::OptionalType>(&key.type.type);
        if (optional == nullptr || !std::holds_alternative<files::RecordType>(optional->element->type)) {
            continue;
        }
        const std::string name = reports::record_key(description, key);
        for (Record& row : rows) {
            if (row.at(name).is_null()) {
                row.erase(name);
            }
        }
    }
    return rows;
}

}  // namespace

reports::Document answer_document(const files::Description& description, const void* answer) {
    reports::Document document;
    document.record["schema"] = schema_name(description);
    document.record.append(reports::described_record(description, answer));
    for (const files::Key& key : description.keys) {
        if (key.rows) {
            document.rows = rows_of(
                std::get<Record::List>(document.record.at(reports::record_key(description, key)).of()), key.type);
        }
    }
    return document;
}

Record answer_schema(const files::Description& description) {
    const std::string name = schema_name(description);
    Record properties;
    properties["schema"]["const"] = name;
    Record object = object_schema(description);
    properties.append(object.at("properties"));
    object["properties"] = std::move(properties);
    object["required"].push_back("schema");
    Record schema{{"$schema", "http://json-schema.org/draft-07/schema#"},
                  {"title", name + ": the answer of dodona " + description.noun},
                  {"description", description.summary}};
    schema.append(std::move(object));
    return schema;
}

}  // namespace dodona::questions
