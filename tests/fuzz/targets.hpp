// What is attacked: every reader of what users bring, on any bytes. An InputError is an answer; anything else is a fault.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mutation.hpp"

namespace dodona::fuzz {

struct Target {
    std::string_view name;
    /// Reads the bytes as one kind of file. Throws nothing but what no input may cause.
    void (*read)(const std::string& bytes);
    std::vector<std::string_view> seeds;  ///< folders and files of the source tree to start from, beside its corpus
    Form form = Form::json;               ///< of what has a structure
};

std::span<const Target> targets();

/// Null where there is none of that name.
const Target* target_named(std::string_view name);

}  // namespace dodona::fuzz
