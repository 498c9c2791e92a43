#include "schema_writer.hpp"

#include <algorithm>
#include <cmath>

#include "base/diagnostic.hpp"

namespace dodona::files::testing {

namespace {

constexpr std::size_t kFewChoices = 4;  ///< that stand where they are used

std::string schema_slug(std::string text) {
    std::replace(text.begin(), text.end(), ' ', '-');
    return text;
}

Json text_schema() { return {{"$ref", "definitions.schema.json#/definitions/text"}}; }

Json with_range(Json schema, const Range& range) {
    const auto limit = [&](const char* inclusive, const char* exclusive, double value, bool without) {
        if (std::isfinite(value)) {
            schema[without ? exclusive : inclusive] =
                std::floor(value) == value ? Json(static_cast<std::int64_t>(value)) : Json(value);
        }
    };
    limit("minimum", "exclusiveMinimum", range.least, range.without_least);
    limit("maximum", "exclusiveMaximum", range.most, range.without_most);
    return schema;
}

/// "number-above-0-to-1"
std::string name_of(std::string what, const Range& range) {
    if (std::isfinite(range.least)) {
        what += fmt::format("-{}-{}", range.without_least ? "above" : "from", range.least);
    }
    if (std::isfinite(range.most)) {
        what += fmt::format("-{}-{:.0f}", range.without_most ? "below" : "to", range.most);
    }
    return what;
}

/// The value alone, or with a source of its own: {value: ..., source: ..., note: ...}.
Json or_with_source(const Json& value) {
    return {{"oneOf",
             {value,
              {{"type", "object"},
               {"required", {"value"}},
               {"additionalProperties", false},
               {"properties", {{"value", value}, {"source", text_schema()}, {"note", text_schema()}}}}}}};
}

Json with_description(Json schema, const std::string& text) {
    Json described{{"description", text}};
    if (schema.contains("$ref")) {  // draft-07 ignores what stands beside a reference
        described["allOf"] = Json::array({schema});
    } else {
        described.update(schema);
    }
    return described;
}

std::string pattern(Dimensions dimensions) {
    return fmt::format("^([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)? *({})$", join(units_of(dimensions), "|"));
}

Json choices(const std::vector<EnumType::Choice>& all) {
    Json names = Json::array();
    for (const EnumType::Choice& choice : all) {
        names.push_back(choice.name);
        if (!choice.former_name.empty()) {
            names.push_back(choice.former_name);
        }
    }
    return {{"enum", names}};
}

/// Holds where another key has one of these values.
Json where(const Condition& condition) {
    return {{"properties", {{std::string(condition.key), {{"enum", condition.values}}}}}};
}

/// Holds where it has any other value.
Json elsewhere(const Description& description, const Condition& condition) {
    Json others = Json::array();
    for (const EnumType::Choice& choice : std::get<EnumType>(description.find(condition.key)->type.type).choices) {
        if (std::find(condition.values.begin(), condition.values.end(), choice.name) == condition.values.end()) {
            others.push_back(choice.name);
        }
    }
    return {{"properties", {{std::string(condition.key), {{"enum", others}}}}}};
}

}  // namespace

struct SchemaOf {
    SchemaWriter& writer;
    const std::string& key;

    Json operator()(const TextType& type) const {
        if (type.form != nullptr && !type.form->pattern.empty()) {
            return {{"type", "string"}, {"pattern", type.form->pattern}};
        }
        if (type.form != nullptr && type.form->choices != nullptr) {
            return writer.defined(
                schema_slug(std::string(type.form->is).substr(std::string(type.form->is).find(' ') + 1)),
                {{"enum", type.form->choices()}});
        }
        return text_schema();
    }
    Json operator()(const FlagType& /*type*/) const { return {{"type", "boolean"}}; }
    Json operator()(const WholeType& type) const {
        Range range = type.range;
        range.least = std::isfinite(range.least) ? std::max(range.least, range.without_least ? 1.0 : range.least) : 1;
        range.without_least = false;
        return writer.defined(name_of("whole-number", range), or_with_source(with_range({{"type", "integer"}}, range)));
    }
    Json operator()(const NumberType& type) const {
        return writer.defined(name_of("number", type.range),
                              or_with_source(with_range({{"type", "number"}}, type.range)));
    }
    Json operator()(const QuantityType& type) const {
        const QuantityKind& kind = quantity_kind(type.dimensions);
        const std::string name(kind.name.substr(kind.name.find(' ') + 1));
        return writer.defined(
            schema_slug(name),
            with_description(or_with_source({{"type", "string"}, {"pattern", pattern(type.dimensions)}}),
                             fmt::format("{} with its unit: {}", kind.name, kind.example)));
    }
    Json operator()(const EnumType& type) const {
        return type.choices.size() <= kFewChoices ? choices(type.choices) : writer.defined(key, choices(type.choices));
    }
    Json operator()(const RecordType& type) const { return writer.record(type.description()); }
    Json operator()(const OptionalType& type) const {
        const Json element = writer.value(*type.element, key);
        const auto* const record = std::get_if<RecordType>(&type.element->type);
        if (record != nullptr && record->description().true_is_all_defaults) {
            return {{"anyOf", {{{"type", "boolean"}}, element}}};
        }
        return element;
    }
    Json operator()(const ListType& type) const {
        const Json element = writer.value(*type.element, key);
        Json list{{"type", "array"}, {"items", element}};
        if (!type.none.empty()) {
            list["minItems"] = 1;
        }
        if (type.distinct && !std::holds_alternative<RecordType>(type.element->type)) {
            list["uniqueItems"] = true;
        }
        return type.or_single ? Json{{"anyOf", {element, list}}} : list;
    }
    Json operator()(const MapType& type) const {
        const Json element = writer.value(*type.element, key);
        Json map{{"type", "object"}};
        if (!type.none.empty()) {
            map["minProperties"] = 1;
        }
        if (type.keys.empty()) {
            map["additionalProperties"] = element;
            return map;
        }
        map["additionalProperties"] = false;
        for (const EnumType::Choice& choice : type.keys) {
            map["properties"][std::string(choice.name)] = element;
        }
        map["properties"]["source"] = text_schema();
        map["properties"]["note"] = text_schema();
        return map;
    }
    Json operator()(const ConvertedType& type) const { return writer.value(*type.written, key); }
    Json operator()(const ReferenceType& type) const {
        const Description& description = type.description();
        Json forms = Json::array({text_schema(), writer.record(description)});
        if (!type.name_key.empty()) {
            Json changed{
                {"type", "object"},
                {"required", Json::array({type.name_key})},
                {"additionalProperties", false},
                {"properties",
                 {{std::string(type.name_key), text_schema()}, {"source", text_schema()}, {"note", text_schema()}}}};
            for (const std::string_view change : type.changes) {
                changed["properties"][std::string(change)] = writer.key(description, *description.find(change));
                if (type.changes_required) {
                    changed["required"].push_back(change);
                }
            }
            forms.push_back(changed);
        }
        return {{"anyOf", forms}};
    }
    Json operator()(const OwnType& type) const { return Json::parse(type.schema); }
};

Json SchemaWriter::reference(const std::string& name) const {
    return {{"$ref", fmt::format("definitions.schema.json#/definitions/{}", name)}};
}

/// A reference to a definition; where another one has the name, the schema itself.
Json SchemaWriter::defined(const std::string& name, Json schema) {
    for (const auto& [other, definition] : definitions_) {
        if (definition == schema) {
            return reference(other);
        }
    }
    return definitions_.emplace(name, schema).second ? reference(name) : schema;
}

Json SchemaWriter::value(const ValueType& type, const std::string& key) {
    return std::visit(SchemaOf{*this, key}, type.type);
}

/// The default of a key that holds a flag, a number or a name; null for other keys.
Json plain_default(const Key& key, const void* object) {
    const void* const member = key.of(object);
    if (std::holds_alternative<FlagType>(key.type.type)) {
        return *static_cast<const bool*>(member);
    }
    if (const auto* whole = std::get_if<WholeType>(&key.type.type)) {
        return static_cast<std::int64_t>(whole->get(member));
    }
    if (std::holds_alternative<NumberType>(key.type.type)) {
        const double value = *static_cast<const double*>(member);
        return std::floor(value) == value ? Json(static_cast<std::int64_t>(value)) : Json(value);
    }
    if (const auto* choice = std::get_if<EnumType>(&key.type.type)) {
        return choice_name(*choice, member);
    }
    return nullptr;
}

Json SchemaWriter::key(const Description& description, const Key& key) {
    const std::string name = key.name == "kind" ? schema_slug(description.noun) + "-kind" : key.name;
    Json schema = with_description(value(key.type, name), key.meaning);
    if (!key.required && key.default_text.empty() && !key.only) {
        if (const Json value = plain_default(key, description.defaults()); !value.is_null()) {
            schema["default"] = value;
        }
    }
    return schema;
}

/// A mapping with the keys of the description.
Json SchemaWriter::mapping(const Description& description) {
    Json properties = Json::object();
    Json required = Json::array();
    Json all_of = Json::array();
    for (const Key& one : description.keys) {
        const bool is_source = !description.file_kind.empty() && one.name == "source";
        const bool is_required = one.required && !is_source;
        const bool has_variants = std::count_if(description.keys.begin(), description.keys.end(),
                                                [&](const Key& other) { return other.name == one.name; }) > 1;
        if (!one.only) {
            properties[one.name] = key(description, one);
            if (is_required) {
                required.push_back(one.name);
            }
            if (!one.former_name.empty()) {
                properties[one.former_name] =
                    with_description(properties[one.name], "The former name of " + one.name + ".");
            }
            continue;
        }
        if (has_variants) {
            properties[one.name] = {{"description", one.meaning}};
            Json variant{{"properties", {{one.name, key(description, one)}}}};
            all_of.push_back({{"anyOf", {elsewhere(description, *one.only), variant}}});
        } else {
            properties[one.name] = key(description, one);
            all_of.push_back({{"anyOf", {where(*one.only), {{"not", {{"required", Json::array({one.name})}}}}}}});
        }
        if (is_required) {
            all_of.push_back({{"anyOf", {elsewhere(description, *one.only), {{"required", Json::array({one.name})}}}}});
        }
    }
    for (const char* annotation : {"source", "note"}) {
        if (!properties.contains(annotation)) {
            properties[annotation] = text_schema();
        }
    }
    Json schema{{"description", description.summary}, {"type", "object"}};
    if (!required.empty()) {
        schema["required"] = required;
    }
    schema["additionalProperties"] = false;
    schema["properties"] = properties;
    if (!all_of.empty()) {
        schema["allOf"] = all_of;
    }
    return schema;
}

Json SchemaWriter::record(const Description& description) {
    const std::string name = schema_slug(description.noun);
    if (description.by_position) {
        Json items = Json::array();
        for (const Key& one : description.keys) {
            items.push_back(key(description, one));
        }
        return defined(name, {{"description", description.summary},
                              {"type", "array"},
                              {"items", items},
                              {"minItems", items.size()},
                              {"maxItems", items.size()}});
    }
    Json schema = mapping(description);
    if (!description.single_value.empty()) {
        const Key& single = *description.find(description.single_value);
        schema = {{"anyOf", {value(single.type, single.name), schema}}};
    }
    return defined(name, std::move(schema));
}

SchemaWriter::SchemaWriter() { definitions_["text"] = {{"type", "string"}, {"minLength", 1}}; }

Json SchemaWriter::file(const Description& description) {
    Json schema{{"$schema", "http://json-schema.org/draft-07/schema#"},
                {"title", fmt::format("Dodona {} file", description.noun)},
                {"description", description.summary},
                {"type", "object"},
                {"allOf", Json::array({record(description)})}};
    const Key* const source = description.find("source");
    if (source != nullptr && source->required) {
        schema["required"] = {"source"};
    }
    return schema;
}

Json SchemaWriter::definitions() const {
    const std::string own = "definitions.schema.json#";
    std::string all = Json(definitions_).dump();
    for (std::size_t at = 0; (at = all.find(own, at)) != std::string::npos;) {
        all.replace(at, own.size(), "#");
    }
    return {{"$schema", "http://json-schema.org/draft-07/schema#"},
            {"title", "Parts of Dodona's files"},
            {"description", "What the schemas of files refer to."},
            {"definitions", Json::parse(all)}};
}

}  // namespace dodona::files::testing
