#include "calibrate/file/measured_table.hpp"

#include <array>
#include <charconv>
#include <filesystem>

#include <fmt/format.h>
#include <zlib.h>

namespace dodona::calibrate {

namespace {

/// The whole file; zlib passes on what is not compressed.
std::string contents(const std::string& path) {
    const std::string help = "give the folder that holds the measured kernels";
    std::error_code ignored;
    gzFile file = std::filesystem::is_regular_file(path, ignored) ? gzopen(path.c_str(), "rb") : nullptr;
    if (file == nullptr) {
        fail({}, fmt::format("{} cannot be read", path), help);
    }
    std::string text;
    std::array<char, 1 << 16> block{};
    int read = 0;
    while ((read = gzread(file, block.data(), block.size())) > 0) {
        text.append(block.data(), static_cast<std::size_t>(read));
    }
    if (gzclose(file) != Z_OK || read < 0) {
        fail({}, fmt::format("{} is not whole", path), help);
    }
    return text;
}

}  // namespace

MeasuredTable::MeasuredTable(const std::string& path)
    : table_(files::read_csv(contents(path), std::filesystem::path(path).filename().string())) {
    for (std::size_t i = 0; i < table_.header.size(); ++i) {
        columns_[table_.header[i].text] = i;
    }
}

const files::CsvCell& MeasuredTable::cell(std::size_t row, std::string_view column) const {
    const auto found = columns_.find(column);
    if (found == columns_.end()) {
        fail(table_.header.front().where, fmt::format("no column \"{}\"", column), "measured/kernels has the columns");
    }
    return table_.rows[row][found->second];
}

const std::string& MeasuredTable::text(std::size_t row, std::string_view column) const {
    return cell(row, column).text;
}

double MeasuredTable::optional_number(std::size_t row, std::string_view column) const {
    const files::CsvCell& found = cell(row, column);
    if (found.text.empty()) {
        return 0;
    }
    double value = 0;
    const char* end = found.text.data() + found.text.size();
    const auto [rest, fault] = std::from_chars(found.text.data(), end, value);
    if (fault != std::errc() || rest != end || !(value >= 0)) {
        fail(found.where, fmt::format("{}: \"{}\" is not a number of 0 or more", column, found.text));
    }
    return value;
}

double MeasuredTable::number(std::size_t row, std::string_view column) const {
    const double value = optional_number(row, column);
    if (value <= 0) {
        fail(cell(row, column).where, fmt::format("{}: must be a positive number", column));
    }
    return value;
}

}  // namespace dodona::calibrate
