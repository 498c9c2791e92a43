#include "lab/evidence/fits/fit_report.hpp"

#include <fmt/format.h>

namespace dodona::calibrate {

namespace {

constexpr const char* kLine = "{:<16} {:<12} {:<5} {:<16} {:>6}  {:>8} {:>6}  {:>8} {:>6}  {}\n";

std::string percent(double ratio) { return fmt::format("{:.1f}", 100 * ratio); }

}  // namespace

std::string report_heading() {
    return "Error in % on rows held out: of the data sheet's roofline, and of the fit.\n\n" +
           fmt::format(kLine, "profile", "kernel", "", "pass", "rows", "roofline", "p90", "fit", "p90",
                       "measured over the roofline: 5 %, median, 95 %");
}

std::string report_line(const std::string& profile, const Fitted& fitted) {
    const cluster::KernelFit& fit = fitted.fit;
    return fmt::format(kLine, profile, name(fit.kind), name(fit.precision),
                       fit.direction ? name(*fit.direction) : "any", fit.rows, percent(fitted.roofline.median),
                       percent(fitted.roofline.p90), percent(fit.error.median), percent(fit.error.p90),
                       fmt::format("{:.2f} {:.2f} {:.2f}", fitted.over_roofline.low, fitted.over_roofline.middle,
                                   fitted.over_roofline.high));
}

}  // namespace dodona::calibrate
