// One file of measured kernels: comma-separated values, compressed with gzip or not.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "base/diagnostic.hpp"
#include "files/csv.hpp"

namespace dodona::calibrate {

class MeasuredTable {
public:
    /// Throws InputError where the file cannot be read or is no table.
    explicit MeasuredTable(const std::string& path);

    [[nodiscard]] std::size_t rows() const { return table_.rows.size(); }
    /// Throws InputError, at the header, where the table has no such column.
    [[nodiscard]] const std::string& text(std::size_t row, std::string_view column) const;
    /// A positive number; throws InputError at the cell where it is none.
    [[nodiscard]] double number(std::size_t row, std::string_view column) const;
    /// Not negative; 0 where the cell is empty.
    [[nodiscard]] double optional_number(std::size_t row, std::string_view column) const;

private:
    [[nodiscard]] const files::CsvCell& cell(std::size_t row, std::string_view column) const;

    files::CsvTable table_;
    std::map<std::string, std::size_t, std::less<>> columns_;
};

}  // namespace dodona::calibrate
