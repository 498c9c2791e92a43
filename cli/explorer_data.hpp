// What the page of `dodona explorer` has of dodona's data: lists to choose from, and all files as the module reads them.
#pragma once

#include <string>

#include "files/document.hpp"
#include "reports/document/record.hpp"

namespace dodona::cli {

/// A file as JSON: a scalar in quotes is a text, one without them {"=": text} (explorer/module/json_tree.cpp).
reports::Record json_of(const files::Node& node);

/// Models, machines, strategies and frameworks by name, with what tells them apart, and `files`: path -> text in JSON.
reports::Record explorer_data();

}  // namespace dodona::cli
