// Model files: parameters evaluated, blocks put in, `extends` followed.
#pragma once

#include <span>
#include <string>

#include "files/description.hpp"
#include "files/document.hpp"
#include "graph/spec.hpp"

namespace dodona::files {

/// `--set name=value`: replaces the default of a parameter.
struct Setting {
    std::string name;
    std::string value;
    Location where;
    std::string path = {};  ///< what messages call it; empty: "--set name"
};

/// Of the keys that are no layers; those with expressions over parameters have readers of their own.
template <>
const Description& description<graph::NetworkSpec>();

/// `open` finds what `extends:` names.
graph::NetworkSpec read_model(Document document, std::span<const Setting> settings, const Opener& open);

}  // namespace dodona::files
