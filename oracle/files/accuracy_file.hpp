// The record of errors in a page that `dodona validate --record` wrote.
#pragma once

#include <cstdint>
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

}  // namespace dodona::files
