// What the page of `dodona explorer` has of dodona's data: lists to choose from, and all files as the module reads them.
#pragma once

#include <string>
#include <string_view>

#include "files/document.hpp"
#include "reports/document/record.hpp"

namespace dodona::cli {

/// A file as JSON: a scalar in quotes is a text, one without them {"=": text} (explorer/module/json_tree.cpp).
reports::Record json_of(const files::Node& node);

/// What the page opens with, built-in or a file of the user's; empty: whatever comes first.
struct ExplorerSubject {
    std::string model, machine;
};

/// The lists of the page that may have a file of the user's.
inline constexpr std::string_view kModels = "models";
inline constexpr std::string_view kMachines = "machines";

/// Where the module finds a file of the user's, which is how a list calls it.
std::string place_in_module(const std::string& path, std::string_view list);

/// How a list calls a model: "llama-3.1-8b+lora"; that of a file is where the module finds it.
std::string model_in_module(const std::string& name);

/// Models, machines, strategies and frameworks by name, with what tells them apart, files of the user's first, and `files`: path -> text
/// in JSON. A user's file comes with those that it names by a path relative to it. Throws InputError where one lies further away
/// than a page can hold.
reports::Record explorer_data(const ExplorerSubject& subject);

}  // namespace dodona::cli
