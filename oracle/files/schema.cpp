#include "files/schema.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "base/ranges.hpp"

namespace dodona::files {

namespace {

constexpr std::size_t kFewChoices = 4;  ///< that stand where they are used

/// JSON as text: a string, a list, and an object that grows member by member.
std::string json_string(std::string_view text) {
    std::string json = "\"";
    for (const char c : text) {
        json += c == '"' || c == '\\' ? std::string{'\\', c} : c == '\n' ? std::string("\\n") : std::string(1, c);
    }
    return json + '"';
}

std::string list_of(const std::vector<std::string>& items) { return fmt::format("[{}]", fmt::join(items, ", ")); }

class Object {
public:
    Object& put(std::string_view key, std::string value) {
        auto* found = found_in(members_, [&](const auto& m) { return m.first == key; });
        if (found == nullptr) {
            members_.emplace_back(key, std::move(value));
        } else {
            found->second = std::move(value);
        }
        return *this;
    }
    /// What the member is, null where there is none.
    [[nodiscard]] const std::string* find(std::string_view key) const {
        const auto* found = found_in(members_, [&](const auto& m) { return m.first == key; });
        return found == nullptr ? nullptr : &found->second;
    }
    [[nodiscard]] std::string text() const {
        std::string json;
        for (const auto& [key, value] : members_) {
            json += (json.empty() ? "" : ", ") + json_string(key) + ": " + value;
        }
        return "{" + json + "}";
    }

private:
    std::vector<std::pair<std::string, std::string>> members_;
};

std::string object(std::string_view key, std::string value) { return Object().put(key, std::move(value)).text(); }

std::string slug(std::string text) {
    std::replace(text.begin(), text.end(), ' ', '-');
    return text;
}

std::string reference(const std::string& name) { return object("$ref", json_string("#/definitions/" + name)); }
std::string text_schema() { return reference("text"); }

std::string number_within(const char* type, const Range& range) {
    Object schema;
    schema.put("type", json_string(type));
    const auto limit = [&](const char* inclusive, const char* exclusive, double value, bool without) {
        if (std::isfinite(value)) {
            schema.put(without ? exclusive : inclusive, fmt::format("{}", value));
        }
    };
    limit("minimum", "exclusiveMinimum", range.least, range.without_least);
    limit("maximum", "exclusiveMaximum", range.most, range.without_most);
    return schema.text();
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

/// A mapping that has these keys, `source` and `note`, and no others.
std::string closed_mapping(const std::vector<std::string>& required, Object properties) {
    Object schema;
    schema.put("type", json_string("object"));
    if (!required.empty()) {
        schema.put("required", list_of(required));
    }
    for (const char* annotation : {"source", "note"}) {
        if (properties.find(annotation) == nullptr) {
            properties.put(annotation, text_schema());
        }
    }
    return schema.put("additionalProperties", "false").put("properties", properties.text()).text();
}

/// The value alone, or with a source of its own: {value: ..., source: ..., note: ...}.
std::string or_with_source(const std::string& value) {
    return object("oneOf", list_of({value, closed_mapping({json_string("value")}, Object().put("value", value))}));
}

std::string with_description(const std::string& schema, const std::string& text) {
    const std::string described = "\"description\": ";
    if (schema.starts_with("{\"$ref\"")) {  // draft-07 ignores what stands beside a reference
        return Object().put("description", json_string(text)).put("allOf", list_of({schema})).text();
    }
    return schema == "{}"                        ? object("description", json_string(text))
           : schema.starts_with("{" + described) ? schema
                                                 : "{" + described + json_string(text) + ", " + schema.substr(1);
}

std::string pattern(Dimensions dimensions) {
    return fmt::format("^([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)? *({})$", join(units_of(dimensions), "|"));
}

std::string one_of(const std::vector<std::string>& names) {
    const auto all = mapped<std::string>(names, [](const std::string& name) { return json_string(name); });
    return object("enum", list_of(all));
}

std::string choices(const std::vector<EnumType::Choice>& all) {
    std::vector<std::string> names;
    for (const EnumType::Choice& choice : all) {
        names.emplace_back(choice.name);
        if (!choice.former_name.empty()) {
            names.emplace_back(choice.former_name);
        }
    }
    return one_of(names);
}

std::string with_property(std::string_view key, std::string schema) {
    return object("properties", object(key, std::move(schema)));
}

/// Holds where another key has one of these values, or any other value.
std::string where(const Description& description, const Condition& condition, bool one_of_these) {
    std::vector<std::string> names;
    for (const EnumType::Choice& choice : std::get<EnumType>(description.find(condition.key)->type.type).choices) {
        const auto& values = condition.values;
        if ((std::find(values.begin(), values.end(), choice.name) != values.end()) == one_of_these) {
            names.emplace_back(choice.name);
        }
    }
    return with_property(condition.key, one_of(names));
}

/// The default of a key that holds a flag, a number or a name; empty for other keys.
std::string plain_default(const Key& key, const void* object) {
    const void* const member = key.of(object);
    if (std::holds_alternative<FlagType>(key.type.type)) {
        return *static_cast<const bool*>(member) ? "true" : "false";
    }
    if (const auto* whole = std::get_if<WholeType>(&key.type.type)) {
        return fmt::format("{}", whole->get(member));
    }
    if (std::holds_alternative<NumberType>(key.type.type)) {
        return fmt::format("{}", *static_cast<const double*>(member));
    }
    const auto* choice = std::get_if<EnumType>(&key.type.type);
    return choice == nullptr ? "" : json_string(choice_name(*choice, member));
}

class SchemaWriter {
public:
    SchemaWriter() { definitions_["text"] = Object().put("type", json_string("string")).put("minLength", "1").text(); }

    std::string value(const ValueType& type, const std::string& key);
    std::string record(const Description& description);
    std::string key(const Description& description, const Key& key);
    /// A reference to a definition; where another one has the name, the schema itself.
    std::string defined(const std::string& name, const std::string& schema);
    /// One a line.
    [[nodiscard]] std::string definitions() const;

private:
    std::string mapping(const Description& description);

    std::map<std::string, std::string> definitions_;
};

struct SchemaOf {
    SchemaWriter& writer;
    const std::string& key;

    std::string operator()(const TextType& type) const {
        if (type.form != nullptr && !type.form->pattern.empty()) {
            return Object().put("type", json_string("string")).put("pattern", json_string(type.form->pattern)).text();
        }
        if (type.form != nullptr && type.form->choices != nullptr) {
            const std::string is(type.form->is);
            return writer.defined(slug(is.substr(is.find(' ') + 1)), one_of(type.form->choices()));
        }
        return text_schema();
    }
    std::string operator()(const FlagType& /*type*/) const { return object("type", json_string("boolean")); }
    std::string operator()(const WholeType& type) const {
        Range range = type.range;
        range.least = std::isfinite(range.least) ? std::max(range.least, range.without_least ? 1.0 : range.least) : 1;
        range.without_least = false;
        return writer.defined(name_of("whole-number", range), or_with_source(number_within("integer", range)));
    }
    std::string operator()(const NumberType& type) const {
        return writer.defined(name_of("number", type.range), or_with_source(number_within("number", type.range)));
    }
    std::string operator()(const QuantityType& type) const {
        const QuantityKind& kind = quantity_kind(type.dimensions);
        const std::string name(kind.name.substr(kind.name.find(' ') + 1));
        const std::string text =
            Object().put("type", json_string("string")).put("pattern", json_string(pattern(type.dimensions))).text();
        return writer.defined(slug(name), with_description(or_with_source(text), fmt::format("{} with its unit: {}",
                                                                                             kind.name, kind.example)));
    }
    std::string operator()(const EnumType& type) const {
        return type.choices.size() <= kFewChoices ? choices(type.choices) : writer.defined(key, choices(type.choices));
    }
    std::string operator()(const RecordType& type) const { return writer.record(type.description()); }
    std::string operator()(const OptionalType& type) const {
        const std::string element = writer.value(*type.element, key);
        const auto* const record = std::get_if<RecordType>(&type.element->type);
        const bool is_flag_too = record != nullptr && record->description().true_is_all_defaults;
        return is_flag_too ? object("anyOf", list_of({object("type", json_string("boolean")), element})) : element;
    }
    std::string operator()(const ListType& type) const {
        const std::string element = writer.value(*type.element, key);
        Object list;
        list.put("type", json_string("array")).put("items", element);
        if (!type.none.empty()) {
            list.put("minItems", "1");
        }
        if (type.distinct && !std::holds_alternative<RecordType>(type.element->type)) {
            list.put("uniqueItems", "true");
        }
        return type.or_single ? object("anyOf", list_of({element, list.text()})) : list.text();
    }
    std::string operator()(const MapType& type) const {
        const std::string element = writer.value(*type.element, key);
        Object properties;
        for (const EnumType::Choice& choice : type.keys) {
            properties.put(choice.name, element);
        }
        std::string map = type.keys.empty()
                              ? Object().put("type", json_string("object")).put("additionalProperties", element).text()
                              : closed_mapping({}, std::move(properties));
        if (!type.none.empty()) {
            map.insert(map.size() - 1, ", \"minProperties\": 1");
        }
        return map;
    }
    std::string operator()(const ConvertedType& type) const { return writer.value(*type.written, key); }
    std::string operator()(const ReferenceType& type) const {
        const Description& description = type.description();
        std::vector<std::string> forms{text_schema(), writer.record(description)};
        if (!type.name_key.empty()) {
            std::vector<std::string> required{json_string(type.name_key)};
            Object properties;
            properties.put(type.name_key, text_schema());
            for (const std::string_view change : type.changes) {
                properties.put(change, writer.key(description, *description.find(change)));
                if (type.changes_required) {
                    required.push_back(json_string(change));
                }
            }
            forms.push_back(closed_mapping(required, std::move(properties)));
        }
        return object("anyOf", list_of(forms));
    }
    std::string operator()(const OwnType& type) const { return type.schema; }
};

std::string SchemaWriter::defined(const std::string& name, const std::string& schema) {
    for (const auto& [other, definition] : definitions_) {
        if (definition == schema) {
            return reference(other);
        }
    }
    return definitions_.emplace(name, schema).second ? reference(name) : schema;
}

std::string SchemaWriter::value(const ValueType& type, const std::string& key) {
    return std::visit(SchemaOf{*this, key}, type.type);
}

std::string SchemaWriter::key(const Description& description, const Key& key) {
    const std::string name = key.name == "kind" ? slug(description.noun) + "-kind" : key.name;
    std::string schema = with_description(value(key.type, name), key.meaning);
    if (!key.required && key.default_text.empty() && !key.only) {
        if (const std::string value = plain_default(key, description.defaults()); !value.empty()) {
            schema.insert(schema.size() - 1, ", \"default\": " + value);
        }
    }
    return schema;
}

/// A mapping with the keys of the description.
std::string SchemaWriter::mapping(const Description& description) {
    Object properties;
    std::vector<std::string> required;
    std::vector<std::string> all_of;
    for (const Key& one : description.keys) {
        const bool is_source = !description.file_kind.empty() && one.name == "source";
        const bool is_required = one.required && !is_source;
        const bool has_variants = std::count_if(description.keys.begin(), description.keys.end(),
                                                [&](const Key& other) { return other.name == one.name; }) > 1;
        if (!one.only) {
            properties.put(one.name, key(description, one));
            if (is_required) {
                required.push_back(json_string(one.name));
            }
            if (!one.former_name.empty()) {
                properties.put(one.former_name,
                               with_description(*properties.find(one.name), "The former name of " + one.name + "."));
            }
            continue;
        }
        const std::string elsewhere = where(description, *one.only, false);
        const std::string named = object("required", list_of({json_string(one.name)}));
        if (has_variants) {
            properties.put(one.name, object("description", json_string(one.meaning)));
            all_of.push_back(object("anyOf", list_of({elsewhere, with_property(one.name, key(description, one))})));
        } else {
            properties.put(one.name, key(description, one));
            all_of.push_back(object("anyOf", list_of({where(description, *one.only, true), object("not", named)})));
        }
        if (is_required) {
            all_of.push_back(object("anyOf", list_of({elsewhere, named})));
        }
    }
    std::string schema = closed_mapping(required, std::move(properties));
    if (!all_of.empty()) {
        schema.insert(schema.size() - 1, ", \"allOf\": " + list_of(all_of));
    }
    return with_description(schema, description.summary);
}

std::string SchemaWriter::record(const Description& description) {
    const std::string name = slug(description.noun);
    if (description.by_position) {
        const auto items = mapped<std::string>(description.keys, [&](const Key& one) { return key(description, one); });
        const std::string count = fmt::to_string(items.size());
        return defined(name, Object()
                                 .put("description", json_string(description.summary))
                                 .put("type", json_string("array"))
                                 .put("items", list_of(items))
                                 .put("minItems", count)
                                 .put("maxItems", count)
                                 .text());
    }
    std::string schema = mapping(description);
    if (!description.single_value.empty()) {
        const Key& single = *description.find(description.single_value);
        schema = object("anyOf", list_of({value(single.type, single.name), schema}));
    }
    return defined(name, schema);
}

std::string SchemaWriter::definitions() const {
    std::vector<std::string> lines;
    for (const auto& [name, definition] : definitions_) {
        lines.push_back("    " + json_string(name) + ": " + definition);
    }
    return fmt::format("{{\n{}\n  }}", fmt::join(lines, ",\n"));
}

}  // namespace

std::string schema(const Description& description) {
    SchemaWriter writer;
    const std::string file = writer.record(description);
    const Key* const source = description.find("source");
    return fmt::format(
        "{{\n  \"$schema\": \"http://json-schema.org/draft-07/schema#\",\n  \"title\": {},\n  \"description\": {},\n"
        "  \"type\": \"object\",\n  \"allOf\": [{}],\n{}  \"definitions\": {}\n}}\n",
        json_string("Dodona " + description.noun + " file"), json_string(description.summary), file,
        source != nullptr && source->required ? "  \"required\": [\"source\"],\n" : "", writer.definitions());
}

}  // namespace dodona::files
