#include "files/profile_file.hpp"

#include <array>

#include "files/curves.hpp"
#include "files/fields.hpp"
#include "files/heading.hpp"

namespace dodona::files {

namespace {

using cluster::FitSpan;
using cluster::KernelFit;
using graph::Direction;

constexpr Range kPositive{.least = 0, .without_least = true};
constexpr Range kNotNegative{.least = 0};

FitSpan read_span(const Value& value) {
    const std::vector<Value> ends = value.list();
    if (ends.size() != 2) {
        if (value.is_list()) {
            value.error(fmt::format("a range has two ends, not {}", ends.size()), "write [least, most]: [32, 65536]");
        }
        return {};
    }
    const FitSpan span{ends[0].number(kPositive, 1), ends[1].number(kPositive, 1)};
    if (span.least > span.most) {
        value.error(fmt::format("{:.15g} is more than {:.15g}", span.least, span.most), "write [least, most]");
    }
    return span;
}

cluster::FitError read_error(const Value& value) {
    cluster::FitError error;
    Fields fields(value);
    error.median = fields.require("median").number(kNotNegative);
    error.p90 = fields.require("p90").number(kNotNegative);
    error.low = fields.require("low", "5 % of measured / predicted are below").number(kPositive, 1);
    const Value high = fields.require("high", "5 % of measured / predicted are above");
    error.high = high.number(kPositive, 1);
    if (error.high < error.low) {
        high.error(fmt::format("{:.15g} is below low, {:.15g}", error.high, error.low));
    }
    fields.finish();
    return error;
}

cluster::InputCast read_cast(const Value& value) {
    cluster::InputCast cast;
    Fields fields(value);
    cast.start = fields.require("start", "of its kernels: 5 us").quantity(Sign::not_negative, cast.start);
    cast.bytes = fields.require("bytes", "moved an element of the input").number(kNotNegative);
    fields.finish();
    return cast;
}

void read_product(Fields& fields, KernelFit& fit) {
    fit.precision = fields.require("precision").one_of(kPrecisions, fit.precision);
    if (const Value direction = fields.find("direction")) {
        fit.direction = direction.one_of(kDirections, Direction::forward);
    }
    fit.compute = fields.require("compute", "share of the peak of a large tile").number(kPositive, 1);
    fit.edge = fields.require("edge", "rows").number(kNotNegative);
    fit.ramp = fields.require("ramp", "depth").number(kNotNegative);
    fit.tail = fields.require("tail", "share of the last wave").number({.least = 0, .most = 1});
    fit.overlap = fields.require("overlap", "exponent, 1 or more").number({.least = 1}, 1);
    fit.backward = fields.find("backward").number(kPositive, 1);
    if (fit.kind == graph::KernelKind::convolution) {
        fit.window_gain = fields.find("window_gain").number(kPositive, 1);
    }
    if (const Value cast = fields.find("benchmark_cast")) {
        fit.benchmark_cast = read_cast(cast);
    }
    fit.side = read_span(fields.require("side", "of m and n: [least, most]"));
    fit.depth = read_span(fields.require("depth", "of k: [least, most]"));
    fit.work = read_span(fields.require("work", "of operations: [least, most]"));
}

KernelFit read_fit(const Value& value) {
    KernelFit fit;
    Fields fields(value);
    fit.kind = fields.require("kernel").one_of(kKernelKinds, fit.kind);
    fit.start = fields.require("start", "of one kernel: 4 us").quantity(Sign::not_negative, fit.start);
    fit.memory = fields.require("memory", "share of the memory bandwidth").number(kPositive, 1);
    if (fit.kind == graph::KernelKind::stream || fit.kind == graph::KernelKind::gather) {
        fit.bytes = read_span(fields.require("bytes", "[least, most]"));
    } else {
        read_product(fields, fit);
    }
    fit.rows = fields.require("rows", "fitted to").whole(1);
    fit.error = read_error(fields.require("error", "{median, p90, low, high}, on rows that the fit did not see"));
    fit.provenance = read_provenance(fields);
    fields.finish();
    return fit;
}

}  // namespace

cluster::Profile read_profile(const Value& value, SourceIs source) {
    cluster::Profile profile;
    Fields fields(value);
    const Heading heading = read_heading(fields, "profile", source);
    profile.name = heading.name;
    profile.source = heading.source;
    const Value fits = fields.require("fits", "a list, as `dodona-evidence fit kernels` writes it");
    for (const Value& fit : fits.list()) {
        profile.fits.push_back(read_fit(fit));
    }
    if (fits.is_list() && profile.fits.empty()) {
        fits.error("no fits");
    }
    fields.finish();
    return profile;
}

cluster::Profile read_profile(Document document) {
    const cluster::Profile profile = read_profile(Value(*document.root, "", document.faults), SourceIs::required);
    throw_faults(document);
    return profile;
}

}  // namespace dodona::files
