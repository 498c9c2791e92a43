// Keys of what is written and never read: a function of the object makes their values.
#pragma once

#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

#include "files/description_keys.hpp"

namespace dodona::files {

/// Object and result of a function without captures.
template <class Call>
struct Signature;
template <class Function, class Result_, class Object_>
struct Signature<Result_ (Function::*)(const Object_&) const> {
    using Object = Object_;
    using Result = std::remove_cvref_t<Result_>;
};

/// A key whose value a function of the object makes, which stands in JSON as `written`.
template <class Function>
Key computed_as(ValueType written, std::string_view name, std::string_view meaning, Function /*of*/,
                const KeyOptions& options = {}) {
    using Object = typename Signature<decltype(&Function::operator())>::Object;
    using Result = typename Signature<decltype(&Function::operator())>::Result;
    const auto from = [](const void* object) -> std::shared_ptr<const void> {
        return std::make_shared<const Result>(Function{}(*static_cast<const Object*>(object)));
    };
    return required_as(
        {ConvertedType{.written = element(std::move(written)), .make = nullptr, .from = from, .to = nullptr}}, name,
        meaning, options);
}

/// A key of an answer that is no member: what a function makes of the object.
///
///   computed("input", "of a step", [](const Epoch& epoch) { return max(epoch.reading, epoch.decoding); })
template <class Function>
Key computed(std::string_view name, std::string_view meaning, Function of, const KeyOptions& options = {}) {
    using Result = typename Signature<decltype(&Function::operator())>::Result;
    return computed_as(type_of<Result>(options), name, meaning, of, options);
}

}  // namespace dodona::files
