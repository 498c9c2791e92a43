// Makes the keys of descriptions from pointers to members.
//
//   required<&Device::memory>("memory", "Device memory that a process can address.",
//                             {.range = kPositive, .help = "its size: 16 GiB"})
//
// The type in files follows from the type of the member. Several pointers are a path: required<&Protocol::timing,
// &LinkTiming::start>("start", ...).
#pragma once

#include <map>
#include <type_traits>
#include <utility>

#include "base/enumeration.hpp"
#include "base/ranges.hpp"
#include "files/description.hpp"

namespace dodona::files {

/// What may be said of a key beside its name, member and meaning. Its texts are copied when the key is made.
struct KeyOptions {
    Range range = {};                           ///< of numbers, counts and quantities
    std::string_view help = {};                 ///< see Key
    std::string_view default_text = {};         ///< see Key
    std::string_view value_text = {};           ///< see Key
    std::string_view former_name = {};          ///< see Key
    std::optional<Condition> only = {};         ///< see Key
    bool always_written = false;                ///< see Key
    bool rows = false;                          ///< see Key
    bool left_out = false;                      ///< see Key
    bool in_place = false;                      ///< see Key
    bool (*is_absent)(const void*) = {};        ///< see Key
    bool (*is_derived)(const void*) = {};       ///< see Key
    const TextForm* form = nullptr;             ///< of texts
    bool count = false;                         ///< a double that holds a count
    std::optional<Dimensions> dimensions = {};  ///< a double in base units
    std::string_view none = {};                 ///< of lists and maps: see ListType
    std::string_view none_help = {};            ///< of lists and maps: see ListType
    bool distinct = false;                      ///< of lists: see ListType
    bool or_single = false;                     ///< of lists: see ListType
    std::string_view group = {};                ///< see Key
    bool repeats = false;                       ///< see Key
};

template <class Member>
struct MemberPointer;
template <class T, class Class_>
struct MemberPointer<T Class_::*> {
    using Class = Class_;
    using Type = T;
};

/// The object of the path's first class -> the member at its end.
template <auto First, auto... Rest>
void* reach(void* object) {
    auto& member = static_cast<typename MemberPointer<decltype(First)>::Class*>(object)->*First;
    if constexpr (sizeof...(Rest) == 0) {
        return &member;
    } else {
        return reach<Rest...>(&member);
    }
}

template <auto First, auto... Rest>
struct PathEnd : PathEnd<Rest...> {};
template <auto Last>
struct PathEnd<Last> {
    using Type = typename MemberPointer<decltype(Last)>::Type;
};

template <class T>
struct IsQuantity : std::false_type {};
template <Dimensions D>
struct IsQuantity<Quantity<D>> : std::true_type {
    static constexpr Dimensions kDimensions = D;
};
template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};
template <class T>
struct IsMap : std::false_type {};
template <class K, class V>
struct IsMap<std::map<K, V>> : std::true_type {};

inline ElementType element(ValueType type) { return std::make_shared<const ValueType>(std::move(type)); }

inline ValueType record_type(const Description& (*of)()) { return {RecordType{of}}; }

template <Enumerated Enum>
std::vector<EnumType::Choice> choices_of() {
    return mapped<EnumType::Choice>(table_of<Enum>(), [](const Enumerator<Enum>& row) {
        return EnumType::Choice{row.name, row.meaning, row.former_name};
    });
}

template <Enumerated Enum>
ValueType enum_type() {
    return {EnumType{
        .choices = choices_of<Enum>(),
        .get = [](const void* member) -> std::size_t {
            const auto& row = enumerator_of(*static_cast<const Enum*>(member));
            return static_cast<std::size_t>(&row - table_of<Enum>().data());
        },
        .set = [](void* member, std::size_t choice) { *static_cast<Enum*>(member) = table_of<Enum>()[choice].value; }}};
}

template <class T>
ValueType whole_type(const KeyOptions& options) {
    return {
        WholeType{.range = options.range,
                  .get = [](const void* member) { return static_cast<double>(*static_cast<const T*>(member)); },
                  .set = [](void* member, std::int64_t value) { *static_cast<T*>(member) = static_cast<T>(value); }}};
}

template <class T>
ValueType quantity_type(Dimensions dimensions, const KeyOptions& options) {
    return {QuantityType{.dimensions = dimensions,
                         .sign = options.range.without_least ? Sign::positive : Sign::not_negative,
                         .get =
                             [](const void* member) {
                                 if constexpr (IsQuantity<T>::value) {
                                     return static_cast<const T*>(member)->in(T::of_base(1));
                                 } else {
                                     return *static_cast<const double*>(member);
                                 }
                             },
                         .set =
                             [](void* member, double base_units) {
                                 if constexpr (IsQuantity<T>::value) {
                                     *static_cast<T*>(member) = T::of_base(base_units);
                                 } else {
                                     *static_cast<double*>(member) = base_units;
                                 }
                             }}};
}

template <class T>
void* emplaced(void* member) {
    // Not emplace(): clang finds a nested T with default members not constructible there.
    std::optional<T>& value = *static_cast<std::optional<T>*>(member);
    value = T{};
    return &*value;
}
template <class T>
void* appended(void* member) {
    return &static_cast<std::vector<T>*>(member)->emplace_back();
}
/// Makes an object to read into; null for a type without a default, which is written only.
using MakeMember = void* (*)(void* member);
template <class T>
constexpr MakeMember emplaced_or_null() {
    if constexpr (requires { T(); }) {
        return emplaced<T>;
    } else {
        return nullptr;
    }
}
template <class T>
constexpr MakeMember appended_or_null() {
    if constexpr (requires { T(); }) {
        return appended<T>;
    } else {
        return nullptr;
    }
}

template <class T>
ValueType optional_type(ValueType of) {
    using Optional = std::optional<T>;
    return {OptionalType{.element = element(std::move(of)),
                         .emplace = emplaced_or_null<T>(),
                         .reset = [](void* member) { static_cast<Optional*>(member)->reset(); },
                         .get = [](const void* member) -> const void* {
                             const auto& value = *static_cast<const Optional*>(member);
                             return value ? &*value : nullptr;
                         }}};
}

template <class T>
ValueType list_type(ValueType of, const KeyOptions& options = {}) {
    using List = std::vector<T>;
    return {ListType{.element = element(std::move(of)),
                     .size = [](const void* member) { return static_cast<const List*>(member)->size(); },
                     .at = [](const void* member, std::size_t index) -> const void* {
                         return &(*static_cast<const List*>(member))[index];
                     },
                     .append = appended_or_null<T>(),
                     .none = std::string(options.none),
                     .none_help = std::string(options.none_help),
                     .distinct = options.distinct,
                     .or_single = options.or_single}};
}

/// A std::map by an enumeration or by a text.
template <class K, class V>
ValueType map_type(ValueType of, const KeyOptions& options = {}) {
    using Map = std::map<K, V>;
    MapType type{.element = element(std::move(of)),
                 .each =
                     [](const void* member, const auto& visit) {
                         for (const auto& [key, value] : *static_cast<const Map*>(member)) {
                             if constexpr (Enumerated<K>) {
                                 visit(name_of(key), &value);
                             } else {
                                 visit(key, &value);
                             }
                         }
                     },
                 .insert = [](void* member, const std::string& key, const Location& /*where*/) -> void* {
                     if constexpr (Enumerated<K>) {
                         return &(*static_cast<Map*>(member))[*dodona::value_of<K>(key)];
                     } else {
                         return &(*static_cast<Map*>(member))[key];
                     }
                 },
                 .none = std::string(options.none),
                 .none_help = std::string(options.none_help)};
    if constexpr (Enumerated<K>) {
        type.keys = choices_of<K>();
    }
    return {std::move(type)};
}

/// A std::vector whose entries have their name as the key: {tensor: 8, data: 2}. `Value` is the member that stands after
/// the key; without one the entry itself does.
template <auto Name, auto Value = nullptr>
MapType named_entries(ValueType of) {
    using Entry = typename MemberPointer<decltype(Name)>::Class;
    using List = std::vector<Entry>;
    return {.element = element(std::move(of)),
            .each =
                [](const void* member, const auto& visit) {
                    for (const Entry& entry : *static_cast<const List*>(member)) {
                        if constexpr (std::is_null_pointer_v<decltype(Value)>) {
                            visit(entry.*Name, &entry);
                        } else {
                            visit(entry.*Name, &(entry.*Value));
                        }
                    }
                },
            .insert = [](void* member, const std::string& key, const Location& where) -> void* {
                Entry& entry = static_cast<List*>(member)->emplace_back();
                entry.*Name = key;
                if constexpr (requires { entry.where; }) {
                    entry.where = where;
                }
                if constexpr (std::is_null_pointer_v<decltype(Value)>) {
                    return &entry;
                } else {
                    return &(entry.*Value);
                }
            }};
}

/// A member that stands in files as a Written: `from` makes one of the member, `to` sets the member.
template <class Written, class Member, Written (*From)(const Member&),
          void (*To)(const Written&, Member&, const Value&, const Reading&)>
ValueType converted_type(ValueType written) {
    return {ConvertedType{.written = element(std::move(written)),
                          .make = []() -> std::shared_ptr<void> { return std::make_shared<Written>(); },
                          .from = [](const void* member) -> std::shared_ptr<const void> {
                              return std::make_shared<const Written>(From(*static_cast<const Member*>(member)));
                          },
                          .to =
                              [](void* member, const void* value, const Value& place, const Reading& reading) {
                                  To(*static_cast<const Written*>(value), *static_cast<Member*>(member), place,
                                     reading);
                              }}};
}

/// A described object, named or in place, that is the member itself.
inline ReferenceType reference_type(const Description& (*of)(), Opener Openers::*opener) {
    return {.description = of, .opener = opener, .object = [](void* member) { return member; }};
}

/// How a member of this type stands in files.
template <class T>
ValueType type_of(const KeyOptions& options) {
    if constexpr (std::is_same_v<T, std::string>) {
        return {TextType{options.form}};
    } else if constexpr (std::is_same_v<T, bool>) {
        return {FlagType{}};
    } else if constexpr (std::is_integral_v<T>) {
        return whole_type<T>(options);
    } else if constexpr (std::is_same_v<T, double>) {
        return options.count        ? whole_type<double>(options)
               : options.dimensions ? quantity_type<double>(*options.dimensions, options)
                                    : ValueType{NumberType{options.range}};
    } else if constexpr (IsQuantity<T>::value) {
        return quantity_type<T>(IsQuantity<T>::kDimensions, options);
    } else if constexpr (std::is_enum_v<T>) {
        return enum_type<T>();
    } else if constexpr (IsOptional<T>::value) {
        return optional_type<typename T::value_type>(type_of<typename T::value_type>(options));
    } else if constexpr (IsVector<T>::value) {
        return list_type<typename T::value_type>(type_of<typename T::value_type>(options), options);
    } else if constexpr (IsMap<T>::value) {
        return map_type<typename T::key_type, typename T::mapped_type>(type_of<typename T::mapped_type>(options),
                                                                       options);
    } else {
        return record_type(description<T>);
    }
}

Key make_key(std::string_view name, std::string_view meaning, bool required, const KeyOptions& options,
             void* (*member)(void*), ValueType type);

/// A key that must be there, and one that need not.
template <auto... Path>
Key required(std::string_view name, std::string_view meaning, const KeyOptions& options = {}) {
    return make_key(name, meaning, true, options, reach<Path...>, type_of<typename PathEnd<Path...>::Type>(options));
}
template <auto... Path>
Key optional(std::string_view name, std::string_view meaning, const KeyOptions& options = {}) {
    return make_key(name, meaning, false, options, reach<Path...>, type_of<typename PathEnd<Path...>::Type>(options));
}

/// The same where the type in files does not follow from that of the member.
template <auto... Path>
Key required_as(ValueType type, std::string_view name, std::string_view meaning, const KeyOptions& options = {}) {
    return make_key(name, meaning, true, options, reach<Path...>, std::move(type));
}
template <auto... Path>
Key optional_as(ValueType type, std::string_view name, std::string_view meaning, const KeyOptions& options = {}) {
    return make_key(name, meaning, false, options, reach<Path...>, std::move(type));
}

/// The same for what is no member: several members of the object, or the object itself in another form.
inline void* whole_object(void* object) { return object; }
inline Key required_as(ValueType type, std::string_view name, std::string_view meaning,
                       const KeyOptions& options = {}) {
    return make_key(name, meaning, true, options, whole_object, std::move(type));
}
inline Key optional_as(ValueType type, std::string_view name, std::string_view meaning,
                       const KeyOptions& options = {}) {
    return make_key(name, meaning, false, options, whole_object, std::move(type));
}

/// The first two keys of a file: `device: NAME`, and its source.
template <auto Name>
Key file_name(std::string_view kind, std::string_view meaning = "Name, as that of the file.") {
    return required<Name>(kind, meaning, {.help = fmt::format("name what the file describes: `{}: NAME`", kind)});
}
template <auto Source>
Key file_source() {
    return required<Source>("source",
                            "Where every number comes from that has no source of its own: paper, data sheet, program. "
                            "Optional where the mapping stands inside another file.",
                            {.help = "say where the numbers come from: paper, data sheet, program"});
}

/// Keys of one description, and those that it shares with others.
inline std::vector<Key> joined(std::vector<Key> keys, std::vector<Key> more) {
    keys.insert(keys.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    return keys;
}

template <class T>
const void* default_of() {
    static const T object{};
    return &object;
}

/// A check that regards several keys, of a known type.
template <class T, void (*Check)(Fields&, T&, const Reading&)>
void checked(Fields& fields, void* object, const Reading& reading) {
    Check(fields, *static_cast<T*>(object), reading);
}

template <auto Where>
Location* place_of(void* object) {
    return static_cast<Location*>(reach<Where>(object));
}

/// For KeyOptions: a predicate of a known type.
template <class T, bool (*Predicate)(const T&)>
bool test(const void* object) {
    return Predicate(*static_cast<const T*>(object));
}

template <class Flags, const auto& Words>
std::vector<std::size_t> flags_set(const Flags& flags) {
    std::vector<std::size_t> set;
    for (std::size_t i = 0; i < Words.size(); ++i) {
        if (flags.*Words[i].member) {
            set.push_back(i);
        }
    }
    return set;
}

template <class Flags, const auto& Words>
void set_flags(const std::vector<std::size_t>& set, Flags& flags, const Value& /*value*/, const Reading& /*reading*/) {
    for (const std::size_t i : set) {
        flags.*Words[i].member = true;
    }
}

/// [gradients, parameters]
template <class Flags, const auto& Words>
ValueType words_of_flags() {
    std::vector<EnumType::Choice> choices;
    for (const auto& word : Words) {
        choices.push_back({word.word, word.meaning, {}});
    }
    ValueType word{
        EnumType{.choices = std::move(choices),
                 .get = [](const void* member) { return *static_cast<const std::size_t*>(member); },
                 .set = [](void* member, std::size_t choice) { *static_cast<std::size_t*>(member) = choice; }}};
    return converted_type<std::vector<std::size_t>, Flags, flags_set<Flags, Words>, set_flags<Flags, Words>>(
        list_type<std::size_t>(std::move(word)));
}

}  // namespace dodona::files
