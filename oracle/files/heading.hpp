// What every file starts with: its kind and name (`model: resnet50`), and its source.
#pragma once

#include <string>

#include "files/fields.hpp"

namespace dodona::files {

struct Heading {
    std::string name;
    std::string source;
};

enum class SourceIs { required, optional };

/// A file of another kind is a fault after which nothing more is read.
void expect_kind(Fields& fields, const std::string& kind);

/// Kind, name and source of a file.
Heading read_heading(Fields& fields, const std::string& kind, SourceIs source = SourceIs::required);

/// A name that paths and rules can carry: letters, digits, `_`, `-` and `.`. Others are a fault.
std::string read_name(const Value& value);

}  // namespace dodona::files
