// Networks and machines that a user describes in tables, for runs that name no built-in one.
#pragma once

#include <string>
#include <vector>

#include "input/machine_table.hpp"
#include "input/model_table.hpp"

namespace dodona::validate {

struct Tables {
    std::vector<input::ModelRow> models;
    std::vector<input::MachineRow> machines;

    /// The row of that name; null if there is none.
    [[nodiscard]] const input::ModelRow* model(const std::string& name) const;
    [[nodiscard]] const input::MachineRow* machine(const std::string& name) const;
};

}  // namespace dodona::validate
