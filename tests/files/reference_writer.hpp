// The tables of docs/files.md: what each key of a described file is.
#pragma once

#include <set>
#include <string>

#include "files/description.hpp"

namespace dodona::files::testing {

/// Each part is described once, where it is first mentioned; later mentions refer to it.
class ReferenceWriter {
public:
    /// The keys of a file, and of what stands inside it.
    std::string file(const Description& description);

private:
    std::string tables(const Description& description, std::vector<const Description*>& inside);

    std::set<std::string> described_;  ///< nouns
    std::set<std::string> listed_;     ///< enumerations, by their names
};

/// The operators of models: attributes and dimensions.
std::string operator_table();

}  // namespace dodona::files::testing
