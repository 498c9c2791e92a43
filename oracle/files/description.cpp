#include "files/description.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/ranges.hpp"

namespace dodona::files {

namespace {

template <class T>
const T& as(const void* member) {
    return *static_cast<const T*>(member);
}

struct SameValue {
    const void* a;
    const void* b;

    bool operator()(const TextType& /*type*/) const { return as<std::string>(a) == as<std::string>(b); }
    bool operator()(const FlagType& /*type*/) const { return as<bool>(a) == as<bool>(b); }
    bool operator()(const NumberType& /*type*/) const { return as<double>(a) == as<double>(b); }
    bool operator()(const WholeType& type) const { return type.get(a) == type.get(b); }
    bool operator()(const QuantityType& type) const { return type.get(a) == type.get(b); }
    bool operator()(const EnumType& type) const { return type.get(a) == type.get(b); }
    bool operator()(const RecordType& type) const { return same(type.description(), a, b); }
    bool operator()(const OptionalType& type) const {
        const void* const first = type.get(a);
        const void* const second = type.get(b);
        return first == nullptr || second == nullptr ? first == second : same(*type.element, first, second);
    }
    bool operator()(const ListType& type) const {
        if (type.size(a) != type.size(b)) {
            return false;
        }
        for (std::size_t i = 0; i < type.size(a); ++i) {
            if (!same(*type.element, type.at(a, i), type.at(b, i))) {
                return false;
            }
        }
        return true;
    }
    bool operator()(const MapType& type) const {
        std::vector<std::pair<std::string_view, const void*>> entries;
        type.each(a, [&](std::string_view key, const void* element) { entries.emplace_back(key, element); });
        std::size_t i = 0;
        bool equal = true;
        type.each(b, [&](std::string_view key, const void* element) {
            equal = equal && i < entries.size() && entries[i].first == key &&
                    same(*type.element, entries[i].second, element);
            ++i;
        });
        return equal && i == entries.size();
    }
    bool operator()(const ConvertedType& type) const {
        return same(*type.written, type.from(a).get(), type.from(b).get());
    }
    bool operator()(const ReferenceType& type) const {
        return same(type.description(), type.object(const_cast<void*>(a)), type.object(const_cast<void*>(b)));
    }
    bool operator()(const OwnType& /*type*/) const { return true; }
};

}  // namespace

const Key* Description::find(std::string_view name) const { return found_in(keys, &Key::name, name); }

bool applies(const Description& description, const Key& key, const void* object) {
    if (!key.only) {
        return true;
    }
    const Key* const on = description.find(key.only->key);
    check(on != nullptr && std::holds_alternative<EnumType>(on->type.type), "a condition on a key that is no choice");
    const std::string_view value = choice_name(std::get<EnumType>(on->type.type), on->of(object));
    return std::find(key.only->values.begin(), key.only->values.end(), value) != key.only->values.end();
}

bool same(const ValueType& type, const void* a, const void* b) { return std::visit(SameValue{a, b}, type.type); }

bool same(const Description& description, const void* a, const void* b) {
    return std::all_of(description.keys.begin(), description.keys.end(), [&](const Key& key) {
        const bool has = applies(description, key, a);
        return has == applies(description, key, b) && (!has || same(key.type, key.of(a), key.of(b)));
    });
}

bool is_default(const Description& description, const Key& key, const void* object) {
    return same(key.type, key.of(object), key.of(description.defaults()));
}

}  // namespace dodona::files
