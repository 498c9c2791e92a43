// Something that this installation lacks: hardware, a library, its own data. Exit code 3.
#pragma once

#include <stdexcept>

namespace dodona::cli {

class Missing : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace dodona::cli
