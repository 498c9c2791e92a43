// The comment by which editors find the schema of a YAML file.
#pragma once

#include <string>

namespace dodona::cli {

/// "# yaml-language-server: $schema=PATH", a line for the top of `file`, whose kind is one of docs/schemas ("plan"). The
/// path is relative where the file lies beside dodona's data, as in a source tree, and absolute elsewhere.
std::string schema_comment(const std::string& kind, const std::string& file);

}  // namespace dodona::cli
