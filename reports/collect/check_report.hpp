// The report of `dodona check`: what each file is and holds, or its faults (`dodona/check/1`).
#pragma once

#include <string>
#include <vector>

#include "reports/document/document.hpp"

namespace dodona::reports {

struct CheckedFile {
    std::string file;
    std::string holds;                ///< empty where it has faults
    std::vector<std::string> faults;  ///< messages without their places
};

/// In text the faults are not shown: messages with their places go to standard error.
Document check_document(const std::vector<CheckedFile>& files);

}  // namespace dodona::reports
