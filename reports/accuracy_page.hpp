// The page of errors that `dodona validate --record` writes: every group of runs, and the record that `--gate` reads.
// Other programs add columns and sections of their own.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "reports/document/document.hpp"
#include "validate/comparison.hpp"

namespace dodona::reports {

struct AccuracyPage {
    std::vector<std::string> tables;  ///< as the user called them

    struct GroupColumn {
        Column column;
        std::map<std::string, std::string> cells;  ///< by group
    };
    std::vector<GroupColumn> columns = {};  ///< beside those of every page

    // Markdown: lines that follow those of every page, each with its line end, and whole sections.
    std::string about = {};
    std::string how = {};
    std::string after_groups = {};
    std::string before_record = {};
};

std::string accuracy_page(const AccuracyPage& page, const validate::Comparison& comparison);

}  // namespace dodona::reports
