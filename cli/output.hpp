// Where a result goes, and in which format.
#pragma once

#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/option.hpp"
#include "reports/style.hpp"

namespace dodona::cli {

enum class Format { text, json, csv, markdown };

struct Output {
    Format format = Format::text;
    std::string file;  ///< empty: standard output
    reports::Style style;
};

/// --format, -o and --color.
std::vector<Option> output_options();
Output read_output(Arguments& arguments);

/// The value of an option that names a file to write; its folder must be there before the work starts.
std::string writable_file(Arguments& arguments, const std::string& name);

void write(const Output& output, const std::string& text);

}  // namespace dodona::cli
