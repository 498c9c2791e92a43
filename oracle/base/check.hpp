// Checks of internal invariants, always on. A failure is a defect of Dodona and ends the program with exit code 70.
#pragma once

#include <stdexcept>

namespace dodona {

/// Thrown when an internal invariant does not hold; never caused by input.
class InternalError : public std::logic_error {
public:
    using std::logic_error::logic_error;
};

inline void check(bool invariant, const char* what) {
    if (!invariant) {
        throw InternalError(what);
    }
}

}  // namespace dodona
