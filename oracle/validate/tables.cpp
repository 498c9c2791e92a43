#include "validate/tables.hpp"

#include <algorithm>

namespace dodona::validate {

const files::ModelRow* Tables::model(const std::string& name) const {
    const auto row =
        std::find_if(models.begin(), models.end(), [&](const files::ModelRow& each) { return each.model == name; });
    return row == models.end() ? nullptr : &*row;
}

const files::MachineRow* Tables::machine(const std::string& name) const {
    const auto row = std::find_if(machines.begin(), machines.end(),
                                  [&](const files::MachineRow& each) { return each.machine == name; });
    return row == machines.end() ? nullptr : &*row;
}

const files::LinkRow* Tables::link(const std::string& id) const {
    const auto row =
        std::find_if(links.begin(), links.end(), [&](const files::LinkRow& each) { return each.id == id; });
    return row == links.end() ? nullptr : &*row;
}

}  // namespace dodona::validate
