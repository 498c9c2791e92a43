// Writes described objects as YAML, with yaml-cpp's Emitter: keys in the order of the description, what has its default
// left out, small mappings on one line. What is written reads back as the same object.
#pragma once

#include <string>
#include <vector>

#include "files/description.hpp"

namespace dodona::files {

struct YamlOptions {
    int digits = 0;                     ///< significant digits of numbers that are not whole; 0: all that they have
    std::vector<std::string> comments;  ///< lines at the top
    std::string note;                   ///< `note:` after the source; empty: none
};

std::string to_yaml(const Description& description, const void* object, const YamlOptions& options = {});

template <class T>
std::string to_yaml(const T& object, const YamlOptions& options = {}) {
    return to_yaml(description<T>(), &object, options);
}

}  // namespace dodona::files
