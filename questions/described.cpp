#include "questions/described.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <variant>

#include "base/check.hpp"
#include "reports/collect/described_record.hpp"

namespace dodona::questions {

namespace {

using reports::Record;

/// "dodona/cache/1": the first value of its JSON.
std::string schema_name(const files::Description& description) { return "dodona/" + description.noun + "/1"; }

/// Schemas of records that have a noun, each once, for all that refer to them.
class Definitions {
public:
    Record reference_to(const files::Description& description);
    [[nodiscard]] const Record& all() const { return all_; }

private:
    std::map<std::string, const files::Description*> known_;
    Record all_ = reports::no_fields();
};

Record schema_of(const files::ValueType& type, Definitions& definitions);

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

/// A value of this schema, or null.
Record or_null(Record schema) {
    const Record::Field& first = std::get<Record::Fields>(schema.of()).front();
    if (first.key == "$ref") {
        return {{"anyOf", Record::List{of_type("null"), std::move(schema)}}};
    }
    Record::List accepted =
        first.value.is_tree() ? std::get<Record::List>(first.value.of()) : Record::List{first.value};
    const Record null = first.key == "type" ? Record("null") : first.key == "anyOf" ? of_type("null") : Record();
    if (std::find(accepted.begin(), accepted.end(), null) == accepted.end()) {
        accepted.push_back(null);
    }
    const std::string key = first.key;
    schema[key] = std::move(accepted);
    return schema;
}

/// An object with exactly these keys.
Record closed_object(Record properties, Record required) {
    Record schema = of_type("object");
    schema["properties"] = std::move(properties);
    schema["required"] = std::move(required);
    schema["additionalProperties"] = false;
    return schema;
}

bool may_be_null(const files::Key& key) {
    const bool may_be_empty = !key.required && std::holds_alternative<files::TextType>(key.type.type);
    return !key.left_out && (may_be_empty || key.is_absent != nullptr);
}

/// The type of a value in JSON, when there is one.
const files::ValueType& written(const files::ValueType& type) {
    if (const auto* const made = std::get_if<files::ConvertedType>(&type.type)) {
        return written(*made->written);
    }
    const auto* const optional = std::get_if<files::OptionalType>(&type.type);
    return optional == nullptr ? type : written(*optional->element);
}

/// Of a key that has a value wherever it is there.
const files::ValueType& type_when_there(const files::Key& key) { return key.left_out ? written(key.type) : key.type; }

void add_key(const files::Description& description, const files::Key& key, Definitions& definitions, Record& properties,
             Record& required);

Record object_schema(const files::Description& description, Definitions& definitions) {
    Record properties = reports::no_fields();
    Record required = reports::no_elements();
    for (const files::Key& key : description.keys) {
        add_key(description, key, definitions, properties, required);
    }
    return closed_object(std::move(properties), std::move(required));
}

void add_key(const files::Description& description, const files::Key& key, Definitions& definitions, Record& properties,
             Record& required) {
    if (key.in_place) {
        const auto* const record = std::get_if<files::RecordType>(&key.type.type);
        const Record value =
            record != nullptr ? object_schema(record->description(), definitions) : schema_of(key.type, definitions);
        properties.append(value.at("properties"));
        for (const Record& name : std::get<Record::List>(value.at("required").of())) {
            required.push_back(name);
        }
        return;
    }
    Record value = schema_of(type_when_there(key), definitions);
    value = may_be_null(key) ? or_null(std::move(value)) : std::move(value);
    if (!key.meaning.empty()) {
        value["description"] = key.meaning;
    }
    const std::string name = reports::record_key(description, key);
    properties[name] = std::move(value);
    if (!key.left_out) {
        required.push_back(name);
    }
}

struct SchemaOf {
    Definitions& definitions;

    Record operator()(const files::TextType& type) const {
        Record schema;
        if (type.form != nullptr && type.form->choices != nullptr) {
            schema["enum"] = type.form->choices();
            return schema;
        }
        schema = of_type("string");
        if (type.form != nullptr && !type.form->pattern.empty()) {
            schema["pattern"] = type.form->pattern;
        }
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
    Record operator()(const files::RecordType& type) const { return definitions.reference_to(type.description()); }
    Record operator()(const files::OptionalType& type) const { return or_null(schema_of(*type.element, definitions)); }
    Record operator()(const files::ListType& type) const {
        Record schema = of_type("array");
        if (!type.none.empty()) {
            schema["minItems"] = 1;
        }
        schema["items"] = schema_of(*type.element, definitions);
        return schema;
    }
    Record operator()(const files::MapType& type) const {
        const Record element = schema_of(*type.element, definitions);
        if (type.keys.empty()) {
            Record schema = of_type("object");
            schema["additionalProperties"] = element;
            return schema;
        }
        Record properties;
        Record required = reports::no_elements();
        for (const files::EnumType::Choice& key : type.keys) {
            Record& value = properties[key.name] = element;
            if (!key.meaning.empty()) {
                value["description"] = key.meaning;
            }
            if (!type.is_partial) {
                required.push_back(key.name);
            }
        }
        return closed_object(std::move(properties), std::move(required));
    }
    Record operator()(const files::ConvertedType& type) const { return schema_of(*type.written, definitions); }
    Record operator()(const files::ReferenceType& type) const { return definitions.reference_to(type.description()); }
    Record operator()(const files::OwnType& /*type*/) const { return of_type("null"); }
};

Record schema_of(const files::ValueType& type, Definitions& definitions) {
    return std::visit(SchemaOf{definitions}, type.type);
}

Record Definitions::reference_to(const files::Description& description) {
    if (description.noun.empty()) {
        return object_schema(description, *this);
    }
    const auto [known, is_new] = known_.emplace(description.noun, &description);
    check(known->second == &description, "two records of an answer have one noun");
    if (is_new) {
        Record schema = object_schema(description, *this);
        if (!description.summary.empty()) {
            schema["description"] = description.summary;
        }
        all_[description.noun] = std::move(schema);
    }
    Record reference;
    reference["$ref"] = "#/definitions/" + description.noun;
    return reference;
}

/// The description of a value that is a record; null: it is none.
const files::Description* part_of(const files::ValueType& type) {
    const auto* const part = std::get_if<files::RecordType>(&written(type).type);
    return part == nullptr || part->description().by_position ? nullptr : &part->description();
}

/// A row without what is null and has fields in other rows, which have these as columns.
Record without_null_records(Record row, const files::Description& description) {
    for (const files::Key& key : description.keys) {
        if (part_of(key.type) == nullptr || key.in_place || key.left_out) {
            continue;
        }
        const std::string name = reports::record_key(description, key);
        if (row.at(name).is_null()) {
            row.erase(name);
        }
    }
    return row;
}

Record::List rows_of(Record::List rows, const files::ValueType& list) {
    const files::Description& description = *part_of(*std::get<files::ListType>(written(list).type).element);
    for (Record& row : rows) {
        row = without_null_records(std::move(row), description);
    }
    return rows;
}

/// The rows of an answer or of a part of it; none: it has no such list.
std::optional<Record::List> rows_in(const files::Description& description, const Record& record) {
    for (const files::Key& key : description.keys) {
        if (key.in_place || key.left_out) {
            continue;
        }
        const Record& value = record.at(reports::record_key(description, key));
        if (value.is_null()) {
            continue;
        }
        if (key.rows) {
            return rows_of(std::get<Record::List>(value.of()), key.type);
        }
        const files::Description* const part = part_of(key.type);
        if (auto rows = part == nullptr ? std::nullopt : rows_in(*part, value)) {
            return rows;
        }
    }
    return std::nullopt;
}

}  // namespace

reports::Document answer_document(const files::Description& description, const void* answer) {
    reports::Document document;
    document.record["schema"] = schema_name(description);
    document.record.append(reports::described_record(description, answer));
    document.rows = rows_in(description, document.record);
    return document;
}

void read_answer(const Record& record, const files::Description& description, void* answer,
                 reports::RecordFaults& faults) {
    const auto* const fields = std::get_if<Record::Fields>(&record.of());
    const std::string due = schema_name(description);
    const auto is_schema = [&](const Record::Field& field) {
        return field.key == "schema" && field.value == Record(due);
    };
    if (fields == nullptr || std::none_of(fields->begin(), fields->end(), is_schema)) {
        if (fields == nullptr) {
            faults.add("", "an object is expected");
        }
        faults.add("schema", due + " is expected");
        return;
    }
    Record rest = record;
    rest.erase("schema");
    reports::read_described(rest, description, answer, "", faults);
}

Record row_of(const files::Description& row, const void* object) {
    return without_null_records(reports::described_record(row, object), row);
}

Record answer_schema(const files::Description& description) {
    const std::string name = schema_name(description);
    Record properties;
    properties["schema"]["const"] = name;
    Definitions definitions;
    Record object = object_schema(description, definitions);
    properties.append(object.at("properties"));
    object["properties"] = std::move(properties);
    object["required"].push_back("schema");
    Record schema{{"$schema", "http://json-schema.org/draft-07/schema#"},
                  {"title", name + ": an answer of dodona"},
                  {"description", description.summary}};
    schema.append(std::move(object));
    if (definitions.all() != reports::no_fields()) {
        schema["definitions"] = definitions.all();
    }
    return schema;
}

}  // namespace dodona::questions
