// The report of `dodona threads`: what the numbers of workers and threads are worth.
#pragma once

#include <cstdint>
#include <optional>

#include "cluster/device.hpp"
#include "reports/collect/prediction_report.hpp"
#include "reports/document/document.hpp"
#include "threads/forecast.hpp"

namespace dodona::reports {

struct ThreadsQuestion {
    const cluster::Device& device;
    std::int64_t batch = 1;
    Bytes weights;
    threads::ThreadCosts costs;
    threads::KnownCosts known;
    Evidence evidence = Evidence::data_sheet;  ///< of the kernels' times on all cores
};

/// `answer`: none where the weights alone are more than the device's memory.
Document threads_document(const Subject& subject, const ThreadsQuestion& question,
                          const std::optional<threads::Forecast>& answer);

}  // namespace dodona::reports
