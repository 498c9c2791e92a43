// Cells of the tables in CSV that dodona writes (RFC 4180).
#pragma once

#include <string>

namespace dodona {

/// A text as the content of a cell: printable, and no formula to a spreadsheet. A number stays one.
std::string csv_text(const std::string& text);

/// A cell, in quotes where its content needs them.
std::string csv_cell(const std::string& content);

}  // namespace dodona
