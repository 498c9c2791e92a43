// `dodona plan --from train.sh`: the plan that a script runs now, and its settings that another plan would change.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/quantity.hpp"
#include "reports/document/document.hpp"
#include "search/answer.hpp"
#include "step/prediction.hpp"

namespace dodona::reports {

/// A setting of the script; empty: it is not there.
struct ChangedSetting {
    std::string setting;
    std::string now;
    std::string then;
};

/// Settings that another plan changes.
struct ChangedSettings {
    std::size_t rank = 0;  ///< of the first listed plan that the launcher can express, from 1; 0: of none
    std::vector<ChangedSetting> changes;  ///< to that plan
    std::string not_expressed;            ///< why there are none: "stages are named by modules"; empty: there are
};

struct CurrentRun {
    std::string file;
    std::string launcher;             ///< "megatron": whose settings the file has
    step::Prediction predicted;       ///< without what was observed
    std::optional<Seconds> observed;  ///< its measured step
    step::Prediction now;             ///< with what was observed
    ChangedSettings changed;
};

/// Adds the section before the others of a plan's document, and `from` to its record.
void add_current_run(Document& document, const search::Answer& answer, const CurrentRun& run);

}  // namespace dodona::reports
