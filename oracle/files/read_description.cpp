#include "files/read_description.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/ranges.hpp"
#include "files/heading.hpp"

namespace dodona::files {

namespace {

enum class Place { whole_file, inside };

void read_object(const Description& description, const Value& value, void* object, const Reading& reading, Place place);

class ValueReader {
public:
    ValueReader(const Value& value, void* member, const Reading& reading)
        : value_(value), member_(member), reading_(reading) {}

    void operator()(const TextType& type) const {
        as<std::string>() = value_.text();
        if (type.form != nullptr && type.form->check != nullptr && value_.is_scalar()) {
            type.form->check(value_);
        }
    }
    void operator()(const FlagType& /*type*/) const { as<bool>() = value_.flag(as<bool>()); }
    void operator()(const WholeType& type) const {
        const Range& range = type.range;
        const auto least = static_cast<std::int64_t>(std::isfinite(range.least) ? range.least : 1);
        const auto most = static_cast<std::int64_t>(std::isfinite(range.most) ? range.most : kMaxWhole);
        type.set(member_, value_.whole(least, most, static_cast<std::int64_t>(type.get(member_))));
    }
    void operator()(const NumberType& type) const { as<double>() = value_.number(type.range, as<double>()); }
    void operator()(const QuantityType& type) const {
        type.set(member_, value_.base_units(type.dimensions, type.sign, type.get(member_)));
    }
    void operator()(const EnumType& type) const {
        std::vector<std::string> names;
        for (std::size_t i = 0; i < type.choices.size(); ++i) {
            const EnumType::Choice& choice = type.choices[i];
            if (value_.is_scalar() && !choice.former_name.empty() && value_.node().text == choice.former_name) {
                type.set(member_, i);
                return;
            }
            names.emplace_back(choice.name);
        }
        type.set(member_, value_.choice(names, type.get(member_)));
    }
    void operator()(const RecordType& type) const { read_record(type.description(), value_, member_, reading_); }
    void operator()(const OptionalType& type) const {
        const auto* const record = std::get_if<RecordType>(&type.element->type);
        if (record != nullptr && record->description().true_is_all_defaults && !value_.is_mapping()) {
            if (value_.flag()) {
                type.emplace(member_);
            }
            return;
        }
        read_value(*type.element, value_, type.emplace(member_), reading_);
    }
    void operator()(const ListType& type) const {
        const std::vector<Value> items = type.or_single && !value_.is_list() ? std::vector{value_} : value_.list();
        if (!type.none.empty() && value_.is_list() && items.empty()) {
            value_.error(type.none, type.none_help);
        }
        std::set<std::string> seen;
        for (const Value& item : items) {
            void* const element = type.append(member_);
            read_value(*type.element, item, element, reading_);
            if (type.distinct) {
                report_second(*type.element, item, seen);
            }
        }
    }
    void operator()(const MapType& type) const {
        Fields fields(value_);
        bool is_empty = true;
        const auto take = [&](const std::string& key, const Location& where, const Value& value) {
            read_value(*type.element, value, type.insert(member_, key, where), reading_);
            is_empty = false;
        };
        for (const EnumType::Choice& choice : type.keys) {
            const std::string key(choice.name);
            if (const Value value = fields.find(key)) {
                take(key, value.where(), value);
            }
        }
        if (type.keys.empty()) {
            for (const Fields::Member& entry : fields.rest()) {
                if (type.check_key != nullptr) {
                    type.check_key(entry);
                }
                take(entry.key, entry.where, entry.value);
            }
        }
        fields.finish();
        if (!type.none.empty() && fields.mapping() && is_empty && !value_.faults().has_errors()) {
            value_.error(type.none, type.none_help);
        }
    }
    void operator()(const ConvertedType& type) const {
        const std::shared_ptr<void> written = type.make();
        read_value(*type.written, value_, written.get(), reading_);
        type.to(member_, written.get(), value_, reading_);
    }
    void operator()(const ReferenceType& type) const {
        if (!value_.is_mapping()) {
            open(type, value_);
        } else if (type.name_key.empty() || starts_with(type.description().file_kind)) {
            read_record(type.description(), value_, type.object(member_), reading_);
        } else {
            read_changed(type);
        }
    }
    void operator()(const OwnType& /*type*/) const {}

private:
    template <class T>
    [[nodiscard]] T& as() const {
        return *static_cast<T*>(member_);
    }

    [[nodiscard]] bool starts_with(const std::string& key) const {
        return !value_.node().members.empty() && value_.node().members.front().key == key;
    }

    /// Opens what a scalar names.
    void open(const ReferenceType& type, const Value& named) const {
        const std::string name = named.text();
        const Opener& opener = reading_.open.*type.opener;
        if (name.empty() || !opener) {
            return;
        }
        try {
            read_document(type.description(), opener(name, reading_.folder, named.where()), type.object(member_),
                          reading_.open);
            if (type.opened != nullptr) {
                type.opened(member_, name);
            }
        } catch (const InputError& error) {
            absorb(value_.faults(), error);
        }
    }

    /// {use: NAME, borrowed: 0.1}
    void read_changed(const ReferenceType& type) const {
        Fields fields(value_);
        if (const Value named = fields.require(std::string(type.name_key), std::string(type.name_help))) {
            open(type, named);
        }
        for (const std::string_view change : type.changes) {
            const Key& key = *type.description().find(change);
            const Value value = type.changes_required ? fields.require(key.name, key.help) : fields.find(key.name);
            if (value) {
                read_value(key.type, value, key.member(type.object(member_)), reading_);
            }
        }
        fields.finish();
    }

    static void report_second(const ValueType& type, const Value& item, std::set<std::string>& seen) {
        const auto* const record = std::get_if<RecordType>(&type.type);
        if (record == nullptr) {
            if (item.is_scalar() && !seen.insert(item.node().text).second) {
                item.error(fmt::format("\"{}\" is listed twice", item.node().text));
            }
            return;
        }
        const Description& description = record->description();
        const std::string& key = description.keys.front().name;
        const Value name = item.is_mapping() ? Fields(item).find(key) : Value();
        if (name.is_scalar() && !seen.insert(name.node().text).second) {
            item.error(fmt::format("a second {} \"{}\"", description.noun, name.node().text),
                       fmt::format("each {} has a {} of its own", description.noun, key));
        }
    }

    const Value& value_;
    void* member_;
    const Reading& reading_;
};

/// Whether the value is one of the choices, so that other keys can depend on it.
bool is_choice(const EnumType& type, const Value& value) {
    return value.is_scalar() && std::any_of(type.choices.begin(), type.choices.end(), [&](const auto& choice) {
               return choice.name == value.node().text ||
                      (!choice.former_name.empty() && choice.former_name == value.node().text);
           });
}

/// The value under the key's name, or under its former one.
Value find_key(const Key& key, Fields& fields, bool required) {
    if (key.former_name.empty()) {
        return required ? fields.require(key.name, key.help) : fields.find(key.name);
    }
    const Value former = fields.find_unlisted(key.former_name);
    if (!former) {
        return required ? fields.require(key.name, key.help) : fields.find(key.name);
    }
    if (fields.find(key.name)) {
        former.error(fmt::format("the former name of {}, which is there as well", key.name), "keep one of the two");
    }
    return former;
}

std::string_view article(std::string_view noun) { return noun.find_first_of("aeiou") == 0 ? "an" : "a"; }

/// The values of an enumeration that the key belongs to.
void report_not_applicable(const Description& description, const Key& key, const Value& value, const void* object) {
    const Key& on = *description.find(key.only->key);
    const std::string_view is = choice_name(std::get<EnumType>(on.type.type), on.of(object));
    const std::vector<std::string> words(key.only->values.begin(), key.only->values.end());
    value.error(
        fmt::format("{} {} of {} {} has no {}", article(description.noun), description.noun, on.name, is, key.name),
        fmt::format("it belongs to {} {}", on.name, join(words)));
}

void read_keys(const Description& description, Fields& fields, void* object, const Reading& reading, Place place) {
    std::set<std::string> unknown;  // choices that no other key can depend on
    std::set<std::string> done;
    for (const Key& key : description.keys) {
        const bool depends = key.only && unknown.count(std::string(key.only->key)) != 0;
        if (depends && done.count(key.name) != 0) {
            continue;
        }
        if (!depends && !applies(description, key, object)) {
            const bool has_other = std::any_of(description.keys.begin(), description.keys.end(), [&](const Key& other) {
                return &other != &key && other.name == key.name && applies(description, other, object);
            });
            const Value value = has_other ? Value() : fields.find_unlisted(key.name);
            if (value && done.insert(key.name).second) {
                report_not_applicable(description, key, value, object);
            }
            continue;
        }
        const bool is_source = place == Place::inside && !description.file_kind.empty() && key.name == "source";
        const Value value = find_key(key, fields, key.required && !depends && !is_source);
        if (value) {
            read_value(key.type, value, key.member(object), reading);
        }
        const auto* const choice = std::get_if<EnumType>(&key.type.type);
        if (choice != nullptr && fields.mapping() && !is_choice(*choice, value) && (value || key.required)) {
            unknown.insert(key.name);
        }
        done.insert(key.name);
    }
}

/// [value, value]
void read_by_position(const Description& description, const Value& value, void* object, const Reading& reading) {
    const std::vector<Value> items = value.list();
    if (value.is_list() && items.size() != description.keys.size()) {
        const auto names = mapped<std::string>(description.keys, &Key::name);
        value.error(fmt::format("a {} is [{}]: {} values, not {}", description.noun, join(names),
                                description.keys.size(), items.size()),
                    description.example.empty() ? "" : "write " + description.example);
        return;
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
        read_value(description.keys[i].type, items[i], description.keys[i].member(object), reading);
    }
}

void read_object(const Description& description, const Value& value, void* object, const Reading& reading,
                 Place place) {
    if (description.where != nullptr) {
        *description.where(object) = value.where();
    }
    if (description.by_position) {
        read_by_position(description, value, object, reading);
        return;
    }
    if (!description.single_value.empty() && !value.is_mapping()) {
        const Key& key = *description.find(description.single_value);
        read_value(key.type, value, key.member(object), reading);
        return;
    }
    const std::string example = description.example.empty() ? "" : "write " + description.example;
    if (!description.expected_mapping.empty() && !value.is_mapping()) {
        value.error(description.expected_mapping, example);
        return;
    }
    Fields fields(value, example);
    if (!fields.mapping()) {
        return;
    }
    if (!description.file_kind.empty()) {
        expect_kind(fields, description.file_kind);
    }
    read_keys(description, fields, object, reading, place);
    if (description.check != nullptr) {
        description.check(fields, object, reading);
    }
    fields.finish();
}

}  // namespace

void read_value(const ValueType& type, const Value& value, void* member, const Reading& reading) {
    std::visit(ValueReader(value, member, reading), type.type);
}

void read_keys(const Description& description, Fields& fields, void* object, const Reading& reading) {
    read_keys(description, fields, object, reading, Place::inside);
}

void read_record(const Description& description, const Value& value, void* object, const Reading& reading) {
    read_object(description, value, object, reading, Place::inside);
}

void read_document(const Description& description, Document document, void* object, const Openers& open) {
    const Reading reading{document.folder, open};
    read_object(description, Value(*document.root, "", document.faults), object, reading, Place::whole_file);
    throw_faults(document);
}

}  // namespace dodona::files
