// Systems of distributed training: the list of `dodona systems`, and one of them.
#pragma once

#include <string>
#include <vector>

#include "exchange/systems.hpp"
#include "reports/document/document.hpp"

namespace dodona::reports {

Document system_document(const exchange::System& system);
/// What a search looks in.
std::string system_facts(const exchange::System& system);
/// Techniques by criteria, with the systems of each.
Document criteria_document(const std::vector<exchange::Technique>& techniques);
std::string technique_facts(const exchange::Technique& technique);

Document systems_document(const std::vector<exchange::System>& systems);

}  // namespace dodona::reports
