// How far a job scales when its replicas agree in different ways: `dodona limits --exchange`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reports/collect/prediction_report.hpp"
#include "reports/document/document.hpp"

namespace dodona::reports {

/// Samples a second and device, with the plan's own exchange and with each other; none: nothing to exchange.
struct ExchangeScalingPoint {
    std::int64_t devices = 1;
    double own = 0;
    std::vector<std::optional<double>> rates;
};

struct ExchangeScaling {
    std::string strategy;
    double efficiency = 0;  ///< to keep, over the plan on the fewest devices that fit
    std::vector<std::string> exchanges;
    std::vector<ExchangeScalingPoint> points;  ///< ascending; none: nothing fits
};

Document exchange_scaling_document(const Subject& subject, const ExchangeScaling& scaling);

}  // namespace dodona::reports
