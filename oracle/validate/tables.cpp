#include "validate/tables.hpp"

#include "base/ranges.hpp"

namespace dodona::validate {

const files::ModelRow* Tables::model(const std::string& name) const {
    return found_in(models, &files::ModelRow::model, name);
}

const files::MachineRow* Tables::machine(const std::string& name) const {
    return found_in(machines, &files::MachineRow::machine, name);
}

const files::LinkRow* Tables::link(const std::string& id) const { return found_in(links, &files::LinkRow::id, id); }

}  // namespace dodona::validate
