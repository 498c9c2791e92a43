#include "calibrate/fit/fit.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <vector>

#include "base/check.hpp"
#include "base/ranges.hpp"
#include "calibrate/fit/least_squares.hpp"
#include "cost/kernel_fit.hpp"
#include "cost/roofline.hpp"

namespace dodona::calibrate {

namespace {

using cluster::KernelFit;
using graph::KernelKind;

constexpr double kHuber = 0.1;

/// One number that is searched for, between two bounds: their geometric mean is 0.
struct Parameter {
    void (*set)(KernelFit&, double) = nullptr;
    double least = 0;
    double most = 0;
    double start = 0;

    [[nodiscard]] Bounds bounds() const { return {.least = least, .most = most, .logarithmic = true}; }
    [[nodiscard]] double value(double free) const { return bounds().value(free); }
    [[nodiscard]] double free(double value) const { return Bounds::free(bounds().share(value)); }
};

template <double KernelFit::*member>
void set(KernelFit& fit, double value) {
    fit.*member = value;
}

/// Microseconds.
void set_start(KernelFit& fit, double value) { fit.start = value * 1_us; }
void set_cast_start(KernelFit& fit, double value) { fit.benchmark_cast->start = value * 1_us; }
void set_cast_bytes(KernelFit& fit, double value) { fit.benchmark_cast->bytes = value; }

/// Of the start, in microseconds: up to a few of one kernel; convolutions change layouts, attention and recurrences are
/// several kernels.
double longest_start(const Series& series) {
    switch (series.kind) {
        case KernelKind::matmul: return 10;
        case KernelKind::stream: return 8;
        case KernelKind::gather: return 20;
        case KernelKind::convolution:
        case KernelKind::attention:
        case KernelKind::recurrent: break;
    }
    return 30;
}

/// Bounds: hardly more than the data sheet's peak, which boost clocks may pass, and half as much again as the
/// memory's bandwidth where caches help.
std::vector<Parameter> parameters(const Series& series) {
    const Parameter start{set_start, 0.5, longest_start(series), 4};
    if (series.kind == KernelKind::stream || series.kind == KernelKind::gather) {
        return {start, {set<&KernelFit::memory>, 0.02, 1, 0.8}};
    }
    // The weights of a recurrence stay in caches from step to step.
    const double most_memory = series.kind == KernelKind::recurrent ? 4 : 1.5;
    std::vector<Parameter> all{start,
                               {set<&KernelFit::memory>, 0.1, most_memory, 0.8},
                               {set<&KernelFit::compute>, 0.02, 1.05, 0.8},
                               {set<&KernelFit::ramp>, 0.5, 4000, 50},
                               {set<&KernelFit::edge>, 0.1, 1000, 10},
                               {set<&KernelFit::tail>, 0.02, 1, 0.5},
                               {set<&KernelFit::overlap>, 1, 16, 3}};
    if (series.kind == KernelKind::convolution) {
        all.push_back({set<&KernelFit::window_gain>, 0.5, 6, 1.5});
    }
    if (series.kind == KernelKind::recurrent) {
        all.push_back({set<&KernelFit::backward>, 0.3, 3, 1.1});
    }
    if (series.casts_input) {
        // Reading 16 bits and writing 8 is 3 bytes; a pass for the largest value, wider intermediates and a bandwidth
        // short of the data sheet's make it more. What it starts is several kernels.
        all.push_back({set_cast_start, 0.5, 30, 5});
        all.push_back({set_cast_bytes, 1, 30, 7});
        // A product of the same library's 16-bit kernel starts as quickly: the two starts cannot be separated.
        all.erase(all.begin());
    }
    return all;
}

using Free = Eigen::VectorXd;

KernelFit with(KernelFit fit, const std::vector<Parameter>& parameters, const Free& free) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        parameters[i].set(fit, parameters[i].value(free[static_cast<Eigen::Index>(i)]));
    }
    return fit;
}

double log_miss(const cluster::Device& device, const KernelFit& fit, const Sample& sample) {
    const Seconds predicted = sample.kernel.times * cost::benchmark_seconds(device, fit, sample.kernel, fit.precision);
    return std::log(predicted / sample.time);
}

double huber(double r) {
    const double size = std::abs(r);
    return size <= kHuber ? r : std::copysign(std::sqrt(kHuber * (2 * size - kHuber)), r);
}

KernelFit search(const cluster::Device& device, const KernelFit& shape, const std::vector<Parameter>& searched,
                 const std::vector<Sample>& samples) {
    const Residuals residuals = [&](const Free& free, Eigen::VectorXd& misses) {
        const KernelFit fit = with(shape, searched, free);
        for (std::size_t i = 0; i < samples.size(); ++i) {
            misses[static_cast<Eigen::Index>(i)] = huber(log_miss(device, fit, samples[i]));
        }
    };
    KernelFit best = shape;
    double least = std::numeric_limits<double>::infinity();
    // Steps away from the usual start, in units of the logistic function's argument.
    for (const double shift : {0.0, 0.7, -0.7}) {
        Free free(static_cast<Eigen::Index>(searched.size()));
        for (std::size_t i = 0; i < searched.size(); ++i) {
            free[static_cast<Eigen::Index>(i)] = searched[i].free(searched[i].start) + (i % 2 == 0 ? shift : -shift);
        }
        const LeastSquares found = least_squares(residuals, static_cast<Eigen::Index>(samples.size()), free);
        if (found.residuals.squaredNorm() < least) {
            least = found.residuals.squaredNorm();
            best = with(shape, searched, found.at);
        }
    }
    return best;
}

/// The value nearest to a share of the way through the sorted values.
double nearest_quantile(std::vector<double> values, double share) {
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + 0.5)];
}

HeldOut held_out(const std::vector<double>& misses) {
    const auto sizes = mapped<double>(misses, [](const double miss) { return std::abs(std::exp(miss) - 1); });
    return {nearest_quantile(sizes, 0.5), nearest_quantile(sizes, 0.9)};
}

void span(cluster::FitSpan& span, double value) {
    span.least = span.most <= 0 ? value : std::min(span.least, value);
    span.most = std::max(span.most, value);
}

void note_spans(KernelFit& fit, const std::vector<Sample>& samples) {
    for (const Sample& sample : samples) {
        const graph::Kernel& kernel = sample.kernel;
        if (kernel.m <= 0) {
            span(fit.bytes, cost::moved_bytes(kernel, fit.precision).in(unit::byte));
            continue;
        }
        span(fit.side, kernel.m);
        span(fit.side, kernel.n);
        span(fit.depth, kernel.k);
        span(fit.work, kernel.flops.in(unit::flop));
    }
}

/// The median of measured over predicted time of dX and dW, over that of the forward products of the same rows: what
/// is left is the backward pass's own, not the level of the fit.
double backward_ratio(const cluster::Device& device, const KernelFit& fit, const Series& series) {
    if (series.backward.empty()) {
        return 1;
    }
    std::vector<double> forward, backward;
    append(forward, series.samples, [&](const Sample& sample) { return -log_miss(device, fit, sample); });
    for (const BackwardSample& sample : series.backward) {
        const Seconds predicted = cost::fitted_seconds(device, fit, sample.input, fit.precision) +
                                  cost::fitted_seconds(device, fit, sample.weight, fit.precision);
        backward.push_back(std::log(sample.time / predicted));
    }
    return std::exp(nearest_quantile(backward, 0.5) - nearest_quantile(forward, 0.5));
}

}  // namespace

Fitted fit(const Series& series, const cluster::Device& device, Seconds wide_start) {
    check(series.samples.size() >= kFewestSamples, "a fit has rows to fit to and rows to hold it against");
    KernelFit shape{.kind = series.kind, .precision = series.precision};
    shape.attention_library = series.attention_library;
    if (series.has_direction) {
        shape.direction = series.samples.front().kernel.direction;
    }
    if (series.casts_input) {
        shape.start = wide_start;
        shape.benchmark_cast = cluster::InputCast{};
    }
    shape.provenance = {.source = series.source, .date = "", .conditions = series.conditions};
    const std::vector<Parameter> searched = parameters(series);
    std::vector<double> misses, ratios, plain;
    for (int fold = 0; fold < kFolds; ++fold) {
        std::vector<Sample> seen;
        std::copy_if(series.samples.begin(), series.samples.end(), std::back_inserter(seen),
                     [&](const Sample& sample) { return sample.fold != fold; });
        const KernelFit found = search(device, shape, searched, seen);
        for (const Sample& sample : series.samples) {
            if (sample.fold == fold) {
                misses.push_back(log_miss(device, found, sample));
                ratios.push_back(std::exp(-misses.back()));
                plain.push_back(std::log(sample.kernel.times * cost::roofline(device, sample.kernel, series.precision) /
                                         sample.time));
            }
        }
    }
    Fitted fitted{
        .fit = search(device, shape, searched, series.samples), .roofline = held_out(plain), .over_roofline = {}};
    std::vector<double> over(plain.size());
    std::transform(plain.begin(), plain.end(), over.begin(), [](double miss) { return std::exp(-miss); });
    fitted.over_roofline = {nearest_quantile(over, 0.05), nearest_quantile(over, 0.5), nearest_quantile(over, 0.95)};
    KernelFit& found = fitted.fit;
    const HeldOut error = held_out(misses);
    found.error = {error.median, error.p90, nearest_quantile(ratios, 0.05), nearest_quantile(ratios, 0.95)};
    found.rows = static_cast<std::int64_t>(series.samples.size());
    if (series.kind == KernelKind::matmul) {
        found.backward = backward_ratio(device, found, series);
    }
    note_spans(found, series.samples);
    return fitted;
}

}  // namespace dodona::calibrate
