// Has a back end measure cases and writes the results to a journal.
//
// Each pass runs in processes of its own. Where a process dies or does not answer in time, the current case becomes a
// Failure and a new process continues with the next one. Cases are asked in a random order (of a seed), so that
// what drifts while they run (clocks, heat, neighbours) does not look like a property of large ones.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <variant>
#include <vector>

#include "calibrate/measure/back_end.hpp"
#include "calibrate/measure/journal.hpp"
#include "calibrate/record/exchange.hpp"
#include "calibrate/record/record.hpp"

namespace dodona::calibrate {

/// Callbacks; each may be empty.
struct Watch {
    std::function<void(const Case& of)> asked;
    std::function<void(const Record& record)> answered;
    std::function<bool()> interrupted;
};

struct Outcome {
    std::size_t measured = 0;
    std::size_t before = 0;  ///< already in the journal
    std::vector<Failure> failures;
    std::optional<Lacking> lacking;  ///< nothing could be measured, or no more of it
    bool interrupted = false;
};

struct Round {
    const BackEnd& backend;
    Settings settings;
    std::vector<Case> cases;
    bool again = false;  ///< measure what was measured before, too
};

/// What a back end runs on, without measuring anything: which cases there are may depend on it.
std::variant<Environment, Lacking> environment_of(const BackEnd& backend, const Settings& settings, const Watch& watch);

/// Measures the cases of one pass that the journal lacks. Throws InputError where the journal cannot be written.
Outcome run(const Round& round, Journal& journal, const Watch& watch);

}  // namespace dodona::calibrate
