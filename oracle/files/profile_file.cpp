#include "files/profile_file.hpp"

#include "files/curves.hpp"
#include "files/read_description.hpp"

namespace dodona::files {

using cluster::FitError;
using cluster::FitSpan;
using cluster::InputCast;
using cluster::KernelFit;
using cluster::Profile;

template <>
const Description& description<FitSpan>() {
    static const Description described{.noun = "range",
                                       .summary = "The measured range of an extent.",
                                       .keys = {required<&FitSpan::least>("least", "The least.", {.range = kPositive}),
                                                required<&FitSpan::most>("most", "The most.", {.range = kPositive})},
                                       .by_position = true,
                                       .example = "[least, most]: [32, 65536]",
                                       .defaults = default_of<FitSpan>};
    return described;
}

namespace {

void check_error(Fields& fields, FitError& error, const Reading& /*reading*/) {
    if (const Value high = fields.find("high"); high && error.high < error.low) {
        high.error(fmt::format("{:.15g} is below low, {:.15g}", error.high, error.low));
    }
}

void check_fit(Fields& fields, KernelFit& fit, const Reading& /*reading*/) {
    const std::pair<const char*, FitSpan*> spans[] = {
        {"side", &fit.side}, {"depth", &fit.depth}, {"work", &fit.work}, {"bytes", &fit.bytes}};
    for (const auto& [key, span] : spans) {
        const Value value = fields.find_unlisted(key);
        if (value && span->least > span->most) {
            value.error(fmt::format("{:.15g} is more than {:.15g}", span->least, span->most), "write [least, most]");
        }
    }
}

}  // namespace

template <>
const Description& description<FitError>() {
    static const Description described{
        .noun = "error",
        .summary = "How far a fit is from measured kernels that it was not fitted to.",
        .keys = {required<&FitError::median>("median", "Median of |predicted / measured - 1|.",
                                             {.range = kNotNegative}),
                 required<&FitError::p90>("p90", "Its 90th percentile.", {.range = kNotNegative}),
                 required<&FitError::low>("low", "5 % of measured / predicted are below.",
                                          {.range = kPositive, .help = "5 % of measured / predicted are below"}),
                 required<&FitError::high>("high", "5 % of measured / predicted are above.",
                                           {.range = kPositive, .help = "5 % of measured / predicted are above"})},
        .one_line = true,
        .check = checked<FitError, check_error>,
        .defaults = default_of<FitError>};
    return described;
}

template <>
const Description& description<InputCast>() {
    static const Description described{
        .noun = "benchmark cast",
        .summary =
            "Passes in which a benchmark of narrow products quantised its input. They are part of the "
            "measurement and of no prediction.",
        .keys = {required<&InputCast::start>("start", "Of their kernels.",
                                             {.range = kNotNegative, .help = "of its kernels: 5 us"}),
                 required<&InputCast::bytes>("bytes", "Bytes moved for each element of the input.",
                                             {.range = kNotNegative, .help = "moved an element of the input"})},
        .one_line = true,
        .defaults = default_of<InputCast>};
    return described;
}

template <>
const Description& description<KernelFit>() {
    static const Description described{
        .noun = "fit",
        .summary =
            "A model of one kind of kernel. The equation that its numbers belong to stands in "
            "oracle/cost/kernel_fit.hpp.",
        .keys = joined(
            {required<&KernelFit::kind>("kernel", "Kind of the kernels."),
             required<&KernelFit::precision>("precision", "Precision of the operands.", {.only = products()}),
             optional<&KernelFit::direction>("direction", "The only pass that the fit is of.",
                                             {.default_text = "any", .only = products()}),
             optional<&KernelFit::attention_library>(
                 "library", "Whose kernels; software says whose it runs.",
                 {.default_text = "any", .only = Condition{"kernel", {"attention"}}}),
             required<&KernelFit::start>("start", "Start-up time of one kernel on the device.",
                                         {.range = kNotNegative, .help = "of one kernel: 4 us"}),
             required<&KernelFit::memory>("memory", "Share of the memory bandwidth that is reached.",
                                          {.range = kPositive, .help = "share of the memory bandwidth"}),
             required<&KernelFit::compute>(
                 "compute", "Share of the peak that the best, deep tile reaches.",
                 {.range = kPositive, .help = "share of the peak of a large tile", .only = products()}),
             required<&KernelFit::edge>("edge", "Rows (of attention: keys) that every tile costs on top of its own.",
                                        {.range = kNotNegative, .help = "rows", .only = products()}),
             required<&KernelFit::ramp>("ramp", "Depth that every tile costs on top of its own.",
                                        {.range = kNotNegative, .help = "depth", .only = products()}),
             required<&KernelFit::tail>("tail", "Share of the idle part of the last wave that is waited for.",
                                        {.range = kShare, .help = "share of the last wave", .only = products()}),
             required<&KernelFit::overlap>("overlap",
                                           "Exponent that joins arithmetic and memory time: 1 adds them, a large one "
                                           "takes the larger.",
                                           {.range = at_least(1), .help = "exponent, 1 or more", .only = products()}),
             optional<&KernelFit::window_gain>("window_gain", "How much less arithmetic overlapping windows need.",
                                               {.range = kPositive, .only = Condition{"kernel", {"convolution"}}}),
             optional<&KernelFit::backward>("backward", "Time of a backward product over that of a forward one.",
                                            {.range = kPositive, .only = products()}),
             optional<&KernelFit::benchmark_cast>("benchmark_cast", "What the benchmark did besides the product.",
                                                  {.only = products()}),
             required<&KernelFit::side>("side", "Measured range of m and n.",
                                        {.help = "of m and n: [least, most]", .only = products()}),
             required<&KernelFit::depth>("depth", "Measured range of k.",
                                         {.help = "of k: [least, most]", .only = products()}),
             required<&KernelFit::work>("work", "Measured range of operations.",
                                        {.help = "of operations: [least, most]", .only = products()}),
             required<&KernelFit::bytes>("bytes", "Measured range of bytes.",
                                         {.help = "[least, most]", .only = passes()}),
             required<&KernelFit::rows>("rows", "Measured kernels that it was fitted to.",
                                        {.range = at_least(1), .help = "fitted to"}),
             required<&KernelFit::error>("error", "How far it is from measured kernels that it was not fitted to.",
                                         {.help = "{median, p90, low, high}, on rows that the fit did not see"})},
            provenance_keys<&KernelFit::provenance>()),
        .check = checked<KernelFit, check_fit>,
        .defaults = default_of<KernelFit>};
    return described;
}

template <>
const Description& description<Profile>() {
    static const Description described{
        .noun = "profile",
        .summary =
            "Models fitted to the measured kernels of a device. Shares are of the data sheet of the device that "
            "the profile is used with, so devices of one chip can share a profile.",
        .keys = {file_name<&Profile::name>("profile"), file_source<&Profile::source>(),
                 optional<&Profile::best>("best",
                                          "Share of the peak that the best of large products reached on the device "
                                          "that was measured. Where another that borrows the profile knows its own "
                                          "(`achieved`), its products reach as much more or less.",
                                          {.range = kPositive}),
                 optional<&Profile::borrowed>("borrowed", "Measured on another device: intervals widen."),
                 required<&Profile::fits>(
                     "fits", "The models.",
                     {.help = "a list, as `dodona-evidence fit kernels` writes it", .none = "no fits"})},
        .file_kind = "profile",
        .defaults = default_of<Profile>};
    return described;
}

Profile read_profile(Document document) { return read_file<Profile>(std::move(document)); }

}  // namespace dodona::files
