#include "calibrate/fit/rounding.hpp"

#include <string>

#include <fmt/format.h>

namespace dodona::calibrate {

namespace {

using cluster::FitError;
using cluster::FitSpan;
using cluster::KernelFit;

void round_span(FitSpan& span) { span = {to_digits(span.least, 4), to_digits(span.most, 4)}; }

void round_error(FitError& error) {
    for (double* const part : {&error.median, &error.p90, &error.low, &error.high}) {
        *part = to_decimals(*part, 3);
    }
}

void round_fit(KernelFit& fit) {
    for (double* const share :
         {&fit.memory, &fit.compute, &fit.edge, &fit.ramp, &fit.tail, &fit.overlap, &fit.window_gain, &fit.backward}) {
        *share = to_digits(*share, 3);
    }
    fit.start = to_digits(fit.start, 3);
    if (fit.benchmark_cast) {
        fit.benchmark_cast->start = to_digits(fit.benchmark_cast->start, 3);
        fit.benchmark_cast->bytes = to_digits(fit.benchmark_cast->bytes, 3);
    }
    for (FitSpan* const span : {&fit.side, &fit.depth, &fit.work, &fit.bytes}) {
        round_span(*span);
    }
    round_error(fit.error);
}

}  // namespace

double to_digits(double value, int digits) { return std::stod(fmt::format("{:.{}g}", value, digits)); }

double to_decimals(double value, int decimals) { return std::stod(fmt::format("{:.{}f}", value, decimals)); }

Seconds to_digits(Seconds time, int digits) {
    constexpr Seconds kMillisecond = Seconds::of_base(1e-3);
    const Seconds unit = time < kMillisecond ? 1_us : kMillisecond;
    return to_digits(time.in(unit), digits) * unit;
}

cluster::Profile rounded(cluster::Profile profile) {
    for (KernelFit& fit : profile.fits) {
        round_fit(fit);
    }
    if (profile.best) {
        *profile.best = to_decimals(*profile.best, 3);
    }
    return profile;
}

}  // namespace dodona::calibrate
