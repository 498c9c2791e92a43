// Comma-separated values (RFC 4180), every cell with its place: quoted cells may hold commas, line ends and doubled
// quotes. (The readers that Debian 12 has keep no places.)
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.hpp"

namespace dodona::files {

inline constexpr std::size_t kMaxColumns = 1'000;
inline constexpr std::size_t kMaxCells = 4'000'000;

struct CsvCell {
    std::string text;  ///< without its quotes
    Location where;    ///< of the text; the length is that of its first line
};

struct CsvTable {
    std::vector<CsvCell> header;
    std::vector<std::vector<CsvCell>> rows;  ///< each as long as the header
};

/// Throws InputError with every fault found, or at the first cell beyond what a table may have: open quotes, text after a closing quote, rows of another length, empty and
/// repeated headers. Empty lines are passed over.
CsvTable read_csv(std::string text, const std::string& name);

}  // namespace dodona::files
