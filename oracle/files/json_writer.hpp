// Described objects as JSON: numbers in base units, with the unit in the key (memory_bytes, launch_s); null for what is
// absent. The name of a file's object is `name`.
#pragma once

#include <nlohmann/json.hpp>

#include "files/description.hpp"

namespace dodona::files {

using Json = nlohmann::ordered_json;

Json to_json(const Description& description, const void* object);

template <class T>
Json to_json(const T& object) {
    return to_json(description<T>(), &object);
}

}  // namespace dodona::files
