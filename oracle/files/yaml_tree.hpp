// yaml-cpp's events -> Node. The only place that knows yaml-cpp.
#pragma once

#include <memory>
#include <string>

#include "files/document.hpp"

namespace dodona::files {

/// Repeated keys go to `faults`; a fault after which nothing more can be read is thrown.
std::shared_ptr<const Node> parse_yaml(const std::string& text, const std::shared_ptr<const Source>& source,
                                       Diagnostics& faults);

}  // namespace dodona::files
