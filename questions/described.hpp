// Questions and answers are described by tables of their members, as files are (files/description.hpp): what a key is
// called, its unit, range and meaning. From the table of an answer follow its JSON, the schema of that and the rows of
// CSV; from the table of a question's options the words of the command line (cli/question.hpp), or any other door's.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "files/computed_keys.hpp"
#include "reports/document/document.hpp"
#include "reports/document/record.hpp"

namespace dodona::questions {

using files::computed;

/// A document that has the answer's JSON and rows, and nothing to read yet.
reports::Document answer_document(const files::Description& description, const void* answer);
template <class Answer>
reports::Document answer_document(const Answer& answer) {
    return answer_document(files::description<Answer>(), &answer);
}

/// The JSON Schema (draft-07) of that JSON.
reports::Record answer_schema(const files::Description& description);

}  // namespace dodona::questions
