// Errors that were found before: the record in a page of errors (reports/accuracy.md), and those of groups that
// parameters were not fitted to.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "files/document.hpp"

namespace dodona::files {

struct RecordedError {
    std::string group;
    std::int64_t rows = 0;              ///< predicted
    std::optional<double> mape;         ///< mean of |predicted / measured - 1|
    std::optional<double> memory_mape;  ///< the same of peak memory
    Location where;
};

/// The record of a page: its one block ```yaml, located in the page. Throws InputError where it has none.
std::vector<RecordedError> load_accuracy_record(const std::string& path, const Location& where);

/// Mean errors of groups, each with parameters fitted to all groups but it.
std::map<std::string, double> load_held_out(const std::string& path, const Location& where);

}  // namespace dodona::files
