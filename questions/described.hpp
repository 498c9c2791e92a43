// Questions and answers are described by tables of their members, as files are (files/description.hpp): what a key is
// called, its unit, range and meaning. From the table of an answer follow its JSON, the schema of that and the rows of
// CSV; from the table of a question's options the words of the command line (cli/question.hpp), or any other door's.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "files/description_keys.hpp"
#include "reports/document/document.hpp"
#include "reports/document/record.hpp"

namespace dodona::questions {

/// What a function without captures is of and what it makes.
template <class Call>
struct Signature;
template <class Function, class Result_, class Object_>
struct Signature<Result_ (Function::*)(const Object_&) const> {
    using Object = Object_;
    using Result = std::remove_cvref_t<Result_>;
};

/// A key whose value a function of the object makes, which stands in JSON as `written`.
template <class Function>
files::Key made(std::string_view name, std::string_view meaning, files::ValueType written) {
    using Object = typename Signature<decltype(&Function::operator())>::Object;
    using Result = typename Signature<decltype(&Function::operator())>::Result;
    const auto from = [](const void* object) -> std::shared_ptr<const void> {
        return std::make_shared<const Result>(Function{}(*static_cast<const Object*>(object)));
    };
    return files::required_as(
        {files::ConvertedType{
            .written = files::element(std::move(written)), .make = nullptr, .from = from, .to = nullptr}},
        name, meaning);
}

/// A key of an answer that is no member: what a function makes of the object.
///
///   computed("input", "of a step", [](const Epoch& epoch) { return max(epoch.reading, epoch.decoding); })
template <class Function>
files::Key computed(std::string_view name, std::string_view meaning, Function /*of*/,
                    const files::KeyOptions& options = {}) {
    using Result = typename Signature<decltype(&Function::operator())>::Result;
    return made<Function>(name, meaning, files::type_of<Result>(options));
}

/// A part of an answer that is not described yet: its record, and the definition of that in a schema.
template <class Function>
files::Key by_hand(std::string_view name, std::string_view meaning, Function /*of*/, std::string definition) {
    return made<Function>(name, meaning,
                          {files::OwnType{.is = "a record", .schema = std::move(definition), .is_record = true}});
}

/// A document that has the answer's JSON and rows, and nothing to read yet.
reports::Document answer_document(const files::Description& description, const void* answer);
template <class Answer>
reports::Document answer_document(const Answer& answer) {
    return answer_document(files::description<Answer>(), &answer);
}

/// The JSON Schema (draft-07) of that JSON.
reports::Record answer_schema(const files::Description& description);

}  // namespace dodona::questions
