// The interactive form of a page, in which its reader asks, and the search itself, compiled to WebAssembly.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/explorer_data.hpp"
#include "reports/document/record.hpp"

namespace dodona::cli {

/// What the form opens with; what is left out is the reader's to choose, or usual.
struct FormOpening {
    reports::Record question = reports::no_fields();  ///< fields of the form by name; `options`: all other options
    ExplorerSubject subject;
};

/// As fields of an opening question.
void set_model(FormOpening& opening, const std::string& name);
void set_machine(FormOpening& opening, const std::string& name);

/// Options given, as (option, value), as `options` of a question in JSON.
reports::Record asked_options(const std::vector<std::pair<std::string, std::string>>& given);

/// `folded`: under a heading of its own, opened when it is wanted. Throws Missing as require_module does.
std::string interactive_form(const FormOpening& opening, bool folded);

/// Throws Missing, with what to do, where the search was not compiled.
void require_module();

/// A file of explorer/page.
std::string page_part(const char* name);

/// Puts the text in the place of @name@ in the page.
void put(std::string& page, std::string_view name, const std::string& text);

}  // namespace dodona::cli
