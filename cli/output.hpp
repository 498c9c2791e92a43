// Where a result goes, and in which format.
#pragma once

#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/option.hpp"
#include "reports/document/document.hpp"
#include "reports/render/renderer.hpp"

namespace dodona::cli {

struct Output {
    const reports::Renderer* renderer = nullptr;
    std::string file;             ///< empty: standard output
    std::string* text = nullptr;  ///< takes what would go to standard output; null: nothing does
    reports::Page page;
};

/// --format, --json, -o, --brief, --quiet, --width and --color.
std::vector<Option> output_options();
Output read_output(Arguments& arguments);

/// The value of an option that names a file to write; its folder must be there before the work starts.
std::string writable_file(Arguments& arguments, const std::string& name);

/// In the format and to the place that the options name.
void write(const Output& output, const reports::Document& document);

/// The parts of `write`: the text of a document, where it goes, and the images beside a Markdown page.
std::string rendered(const Output& output, const reports::Document& document);
void write_text(const Output& output, const std::string& text);
void write_images(const Output& output, const reports::Document& document);

/// To standard output.
void print(const std::string& text);

}  // namespace dodona::cli
