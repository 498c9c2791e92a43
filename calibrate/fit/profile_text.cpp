#include "calibrate/fit/profile_text.hpp"

#include <fmt/format.h>

namespace dodona::calibrate {

namespace {

using cluster::FitSpan;
using cluster::KernelFit;
using graph::KernelKind;

std::string span(const FitSpan& span) { return fmt::format("[{:.4g}, {:.4g}]", span.least, span.most); }

std::string model(const KernelFit& fit) {
    std::string text = fmt::format("    start: {:.3g} us\n    memory: {:.3g}\n", fit.start.in(1_us), fit.memory);
    if (fit.kind == KernelKind::stream || fit.kind == KernelKind::gather) {
        return text + fmt::format("    bytes: {}\n", span(fit.bytes));
    }
    text +=
        fmt::format("    compute: {:.3g}\n    edge: {:.3g}\n    ramp: {:.3g}\n    tail: {:.3g}\n    overlap: {:.3g}\n",
                    fit.compute, fit.edge, fit.ramp, fit.tail, fit.overlap);
    if (fit.window_gain != 1) {
        text += fmt::format("    window_gain: {:.3g}\n", fit.window_gain);
    }
    if (fit.backward != 1) {
        text += fmt::format("    backward: {:.3g}\n", fit.backward);
    }
    if (fit.benchmark_cast) {
        text += fmt::format("    benchmark_cast: {{start: {:.3g} us, bytes: {:.3g}}}\n",
                            fit.benchmark_cast->start.in(1_us), fit.benchmark_cast->bytes);
    }
    return text +
           fmt::format("    side: {}\n    depth: {}\n    work: {}\n", span(fit.side), span(fit.depth), span(fit.work));
}

std::string one(const KernelFit& fit) {
    const bool stream = fit.kind == KernelKind::stream || fit.kind == KernelKind::gather;
    std::string text = fmt::format("  - kernel: {}\n", name(fit.kind));
    if (!stream) {
        text += fmt::format("    precision: {}\n", name(fit.precision));
    }
    if (fit.direction) {
        text += fmt::format("    direction: {}\n", name(*fit.direction));
    }
    text += model(fit);
    text += fmt::format("    rows: {}\n", fit.rows);
    text += fmt::format("    error: {{median: {:.3f}, p90: {:.3f}, low: {:.3f}, high: {:.3f}}}\n", fit.error.median,
                        fit.error.p90, fit.error.low, fit.error.high);
    text += fmt::format("    source: \"{}\"\n", fit.provenance.source);
    if (!fit.provenance.conditions.empty()) {
        text += fmt::format("    conditions: \"{}\"\n", fit.provenance.conditions);
    }
    return text;
}

}  // namespace

std::string fits_text(const cluster::Profile& profile) {
    std::string text = "fits:\n";
    for (const KernelFit& fit : profile.fits) {
        text += one(fit);
    }
    return text;
}

std::string profile_text(const cluster::Profile& profile, const std::string& note) {
    std::string text = "# Written by `dodona-evidence fit kernels`; what the keys mean: FILES.md.\n";
    text += fmt::format("profile: {}\nsource: \"{}\"\n", profile.name, profile.source);
    if (!note.empty()) {
        text += fmt::format("note: \"{}\"\n", note);
    }
    return text + fits_text(profile);
}

}  // namespace dodona::calibrate
