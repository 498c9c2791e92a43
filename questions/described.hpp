// Questions and answers are described by tables of their members, as files are (files/description.hpp): what a key is
// called, its unit, range and meaning. From the table of an answer follow its JSON, the schema of that and the rows of
// CSV; from the table of a question's options the words of the command line (cli/question.hpp), or any other door's.
#pragma once

#include "files/computed_keys.hpp"
#include "reports/collect/described_record.hpp"
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

/// An answer from the record of such a document. Faults also where it is the record of another one.
void read_answer(const reports::Record& record, const files::Description& description, void* answer,
                 reports::RecordFaults& faults);
template <class Answer>
void read_answer(const reports::Record& record, Answer& answer, reports::RecordFaults& faults) {
    read_answer(record, files::description<Answer>(), &answer, faults);
}

/// A described object as a row of a table: without what is null and has fields in other rows, which have these as columns.
reports::Record row_of(const files::Description& row, const void* object);

/// The JSON Schema (draft-07) of that JSON.
reports::Record answer_schema(const files::Description& description);

}  // namespace dodona::questions
