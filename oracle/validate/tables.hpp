// Networks and machines that a user describes in tables, for runs that name no built-in one.
#pragma once

#include <string>
#include <vector>

#include "files/link_table.hpp"
#include "files/machine_table.hpp"
#include "files/model_table.hpp"

namespace dodona::validate {

struct Tables {
    std::vector<files::ModelRow> models;
    std::vector<files::MachineRow> machines;
    std::vector<files::LinkRow> links;

    /// The row of that name; null if there is none.
    [[nodiscard]] const files::ModelRow* model(const std::string& name) const;
    [[nodiscard]] const files::MachineRow* machine(const std::string& name) const;
    /// What the run of that id measured.
    [[nodiscard]] const files::LinkRow* link(const std::string& id) const;
};

}  // namespace dodona::validate
