// The description of a type: what each key of its mapping is in files. Reading and writing YAML, JSON, the JSON Schemas
// and the reference in docs/ derive from it, so that a new key is a member and one line.
//
// Keys are made from pointers to members (description_keys.hpp). From there on they know their type only by functions
// that reach into an object: nothing that works on descriptions is instantiated for each type.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/quantity.hpp"
#include "files/fields.hpp"

namespace dodona::files {

struct Description;
struct ValueType;
using ElementType = std::shared_ptr<const ValueType>;

/// Open what a document names. Without an opener, such a name is accepted and nothing is read.
struct Openers {
    Opener device;
    Opener profile;
    Opener link;
    Opener strategy;
    Opener framework;
    Opener mechanism;
};

/// The document that is being read, as far as its values need it.
struct Reading {
    const std::filesystem::path& folder;  ///< paths in the document are relative to it
    const Openers& open;
};

/// Texts that have a form.
struct TextForm {
    std::string_view is;                              ///< "a name", for the reference
    std::string_view pattern;                         ///< a regular expression, for the schema; empty: any text
    void (*check)(const Value& value) = nullptr;      ///< reports what is wrong
    std::vector<std::string> (*choices)() = nullptr;  ///< the only texts there are, for the schema
};

/// A std::string.
struct TextType {
    const TextForm* form = nullptr;  ///< null: any text that is not empty
};

/// A bool.
struct FlagType {};

/// A count: an integer, or a double that holds one.
struct WholeType {
    Range range;
    double (*get)(const void* member);
    void (*set)(void* member, std::int64_t value);
};

/// A double without a unit.
struct NumberType {
    Range range;
};

/// A Quantity, or a double in base units.
struct QuantityType {
    Dimensions dimensions;
    Sign sign = Sign::not_negative;
    double (*get)(const void* member);
    void (*set)(void* member, double base_units);
};

/// An enumeration with a table (base/enumeration.hpp).
struct EnumType {
    struct Choice {
        std::string_view name;
        std::string_view meaning;
        std::string_view former_name;
    };
    std::vector<Choice> choices;
    std::size_t (*get)(const void* member);  ///< index of the choice
    void (*set)(void* member, std::size_t choice);
};

/// A described struct. A function finds the description, because descriptions may name each other.
struct RecordType {
    const Description& (*description)();
};

/// A std::optional.
struct OptionalType {
    ElementType element;
    void* (*emplace)(void* member);  ///< null: of what is written only
    void (*reset)(void* member);
    const void* (*get)(const void* member);  ///< null: there is no value
};

/// A std::vector.
struct ListType {
    ElementType element;
    std::size_t (*size)(const void* member);
    const void* (*at)(const void* member, std::size_t index);
    void* (*append)(void* member);  ///< null: of what is written only
    std::string none;               ///< what is wrong with an empty list; empty: nothing
    std::string none_help;
    bool distinct = false;   ///< no element twice; of records: no name (their first key) twice
    bool or_single = false;  ///< a single value stands for a list of one
};

/// A mapping whose keys are data: a std::map, or a std::vector of entries that have a name.
struct MapType {
    ElementType element;
    std::vector<EnumType::Choice> keys;  ///< the only keys there are; empty: any that `check_key` accepts
    void (*each)(const void* member, const std::function<void(std::string_view key, const void* element)>& visit);
    void* (*insert)(void* member, const std::string& key, const Location& where);
    void (*check_key)(const Fields::Member& entry) = nullptr;
    std::string_view key_is;  ///< "axis", for the reference
    std::string none;         ///< as of a list
    std::string none_help;
    bool is_partial = false;  ///< of an answer: an object may have some of `keys` alone
};

/// A member that stands in files as another type: that type is read, then converted.
struct ConvertedType {
    ElementType written;
    std::shared_ptr<void> (*make)();
    std::shared_ptr<const void> (*from)(const void* member);
    void (*to)(void* member, const void* written, const Value& value, const Reading& reading);
};

/// A described object that a file names or has in place.
struct ReferenceType {
    const Description& (*description)();
    Opener Openers::*opener;
    std::string_view
        name_key;  ///< {use: NAME, ...}: names an object of which other keys change something; may be empty
    std::string_view name_help;
    std::vector<std::string_view> changes;  ///< those keys
    bool changes_required = false;
    void* (*object)(void* member);                                    ///< what is read
    void (*opened)(void* member, const std::string& name) = nullptr;  ///< called after a name was opened; may be null
    std::string (*name)(const void* member) = nullptr;                ///< to write; null or empty: the object itself
};

/// A value with a reader of its own, such as the layers of a model: described for the schema and the reference alone.
struct OwnType {
    std::string is;             ///< "a list of layers", for the reference
    std::string schema = "{}";  ///< JSON
};

struct ValueType {
    std::variant<TextType, FlagType, WholeType, NumberType, QuantityType, EnumType, RecordType, OptionalType, ListType,
                 MapType, ConvertedType, ReferenceType, OwnType>
        type;
};

/// Some objects only have the key: those in which another key, which comes before it, has one of these values.
struct Condition {
    std::string_view key;
    std::vector<std::string_view> values;
};

struct Key {
    std::string name;
    std::string meaning;  ///< plain sentences, with unit and convention; for schemas and reference
    bool required = false;
    std::string help;          ///< after the message that the key is missing: "its size: 16 GiB"
    std::string default_text;  ///< for the reference, where it is not what the member starts with
    std::string value_text;    ///< for the reference, where it is not what the type says
    std::string former_name;   ///< still read; empty: none
    std::string group;         ///< of an option: what it is listed under in help
    bool repeats = false;      ///< of an option: a list of which each element is given by itself
    std::optional<Condition> only;
    bool always_written = false;                       ///< even where it equals the default
    bool rows = false;                                 ///< of an answer: what tables have in their rows
    bool left_out = false;                             ///< of an answer: JSON has no such key where there is no value
    bool in_place = false;                             ///< of an answer: the keys of the value stand among the object's
    bool (*is_absent)(const void* object) = nullptr;   ///< there is no such thing: not written, null in JSON
    bool (*is_derived)(const void* object) = nullptr;  ///< follows from other keys: not written
    void* (*member)(void* object) = nullptr;
    ValueType type;

    [[nodiscard]] const void* of(const void* object) const { return member(const_cast<void*>(object)); }
};

struct Description {
    std::string noun;     ///< "level": for messages and definitions
    std::string summary;  ///< one or two sentences for schemas and reference
    std::vector<Key> keys;
    std::string file_kind = {};     ///< "device": of files that start with `device: NAME`; the first key is the name
    std::string single_value = {};  ///< the key that a value stands for which is no mapping
    bool true_is_all_defaults = false;  ///< `true` stands for {}, `false` for nothing
    bool one_line = false;              ///< written as {key: value, ...}
    bool by_position = false;           ///< written as [value, ...]
    bool one_unit = false;     ///< of an answer: all quantities have the unit of the first; the object's key names it
    std::string example = {};  ///< for the message that a mapping is expected
    std::string expected_mapping = {};  ///< that message, if "expected a mapping" does not say why
    /// Regards several keys, after all are read. May be null.
    void (*check)(Fields& fields, void* object, const Reading& reading) = nullptr;
    Location* (*where)(void* object) = nullptr;  ///< where an object keeps its place; may be null
    const void* (*defaults)();                   ///< an object before anything is read

    [[nodiscard]] const Key* find(std::string_view name) const;
};

/// The description of a type; specialised beside the reader of its files.
template <class T>
const Description& description();

/// Whether the object has the key at all.
bool applies(const Description& description, const Key& key, const void* object);

/// Whether two members have the same value.
bool same(const ValueType& type, const void* a, const void* b);

/// Whether all keys that either object has are the same.
bool same(const Description& description, const void* a, const void* b);

/// Whether the key's value is that of an object before anything is read.
bool is_default(const Description& description, const Key& key, const void* object);

/// An enumeration's value by its name.
inline std::string_view choice_name(const EnumType& type, const void* member) {
    return type.choices[type.get(member)].name;
}

}  // namespace dodona::files
