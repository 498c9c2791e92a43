// The report of `dodona threads`: what the numbers of workers and threads are worth.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/device.hpp"
#include "reports/collect/prediction_report.hpp"
#include "reports/document/document.hpp"
#include "threads/forecast.hpp"
#include "threads/measured_settings.hpp"

namespace dodona::reports {

struct ThreadsQuestion {
    cluster::Device device;
    std::int64_t batch = 1;
    Bytes weights;
    threads::ThreadCosts costs;
    threads::KnownCosts known;
    Evidence evidence = Evidence::data_sheet;  ///< of the kernels' times on all cores
    bool whole_grid = false;                   ///< in JSON: also what over-subscribes the cores
    std::vector<threads::MeasuredSetting> measured;
    std::string measured_with;  ///< where they are from, or what ran them
};

/// `answer`: none where the weights alone are more than the device's memory.
Document threads_document(const Subject& subject, const ThreadsQuestion& question,
                          const std::optional<threads::Forecast>& answer);

}  // namespace dodona::reports
