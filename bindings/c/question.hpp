// A question in JSON as the words of a command line.
#pragma once

#include <string>
#include <vector>

#include "cli/option.hpp"
#include "files/document.hpp"

namespace dodona::bindings {

struct Question {
    const cli::Command* command = nullptr;
    std::vector<std::string> words;  ///< after the command's name, with --format json
};

/// Throws InputError, located in the question, for what is no question and for options that the command does not have.
Question read_question(files::Document document);

}  // namespace dodona::bindings
