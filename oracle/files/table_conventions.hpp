// How rows of tables of networks and machines become what is costed: which model file a row's shape is one of, and
// which machine's links a row's are. Data, so that a new kind of row is a line.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.hpp"
#include "files/document.hpp"
#include "files/row_condition.hpp"

namespace dodona::files {

/// Networks that one model file can express.
struct ModelFamily {
    RowCondition when;
    std::string model;                                     ///< the file
    std::vector<std::pair<std::string, std::string>> set;  ///< its parameters, each with the column of its value
    std::vector<std::string> without;                      ///< columns that say nothing about such a network
    std::string refusal;                                   ///< not empty: why such rows cannot be built
    Location where;
};

/// Machines whose links are those of a built-in one, at the row's rates and counts.
struct MachineFamily {
    RowCondition when;
    std::string like;
    std::string refusal;
    Location where;
};

/// The first line that matches a row counts.
struct TableConventions {
    std::vector<ModelFamily> models;
    std::vector<MachineFamily> machines;
};

TableConventions read_table_conventions(Document document);

}  // namespace dodona::files
