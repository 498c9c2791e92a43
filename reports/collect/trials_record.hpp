// The answer of `dodona trials` as a record: `dodona/trials/1`.
#pragma once

#include <string>

#include "reports/document/record.hpp"
#include "trials/forecast.hpp"

namespace dodona::reports {

/// Settings as fields: numbers stay texts, as they were written.
Record trial_settings_record(const trials::Settings& settings);

Record trials_record(const std::string& study, const trials::Question& question, const trials::Forecast& answer);

}  // namespace dodona::reports
