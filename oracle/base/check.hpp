// Always-on checks of our own invariants. A failure is our fault and ends the program with exit code 70.
#pragma once

#include <stdexcept>
#include <string>

namespace dodona {

/// An invariant of Dodona itself does not hold. Never the user's fault.
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
