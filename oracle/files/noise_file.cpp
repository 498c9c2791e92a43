#include "files/noise_file.hpp"

#include "files/description_keys.hpp"
#include "files/read_description.hpp"

namespace dodona::files {

using simulate::NoiseOn;
using simulate::NoiseProfile;
using simulate::NoiseShape;
using simulate::NoiseSource;

namespace {

/// A source that says nothing about how much, or that its distribution cannot have.
void check_source(Fields& fields, NoiseSource& noise, const Reading& /*reading*/) {
    const Value& mapping = fields.mapping();
    const bool is_empirical = noise.distribution == NoiseShape::empirical;
    if (is_empirical != !noise.values.empty()) {
        mapping.error(is_empirical ? "an empirical distribution needs values" : "values are of distribution: empirical",
                      "such as {distribution: empirical, values: [0, 0.02, 0.5]}");
    } else if (!is_empirical && noise.mean == 0 && noise.deviation == 0) {
        mapping.error("noise of nothing", "a mean or a deviation, as shares of the time: deviation: 0.1");
    }
    if (noise.mean <= 0 && (noise.distribution == NoiseShape::gamma || noise.distribution == NoiseShape::exponential)) {
        mapping.error(fmt::format("a share with a {} distribution has a mean above 0", name(noise.distribution)),
                      "mean: 0.05");
    }
    if (noise.mean <= -1) {
        mapping.error("a mean of -1 or less leaves no time", "a share of the time: mean: 0.05");
    }
    if ((noise.on == NoiseOn::start) != (noise.late > Seconds{})) {
        mapping.error(noise.on == NoiseOn::start ? "noise on start needs late" : "late is of noise on start",
                      "the time that a share of 1 stands for: {on: start, late: 5 ms, ...}");
    }
    if ((noise.burst > Seconds{}) != (noise.silence > Seconds{})) {
        mapping.error("bursts have both burst and silence", "such as {burst: 2 s, silence: 2 s}");
    }
    if (noise.on == NoiseOn::start && noise.in_bursts()) {
        mapping.error("starts have no bursts", "leave burst and silence out");
    }
}

}  // namespace

template <>
const Description& description<NoiseSource>() {
    static const Description described{
        .noun = "source of noise",
        .summary =
            "Makes the work on one resource take longer, or shorter, by a share that is drawn. Equations: "
            "oracle/simulate/noise_source.hpp.",
        .keys = {required<&NoiseSource::on>("on", "What takes longer.", {.help = "on: compute"}),
                 optional<&NoiseSource::by>("by", "Who has draws of its own."),
                 optional<&NoiseSource::every>("every", "When it is drawn anew."),
                 optional<&NoiseSource::distribution>("distribution", "Of the share."),
                 optional<&NoiseSource::mean>("mean", "Mean of the share: 0.05 adds 5 % to the time."),
                 optional<&NoiseSource::deviation>("deviation", "Standard deviation of the share.",
                                                   {.range = kNotNegative}),
                 optional<&NoiseSource::probability>("probability", "Of a draw; otherwise nothing is added.",
                                                     {.range = kPositiveShare}),
                 optional<&NoiseSource::values>("values", "Shares of an empirical distribution.",
                                                {.range = at_least(-1)}),
                 optional<&NoiseSource::burst>("burst", "The share counts for so long,", {.range = kPositive}),
                 optional<&NoiseSource::silence>("silence", "then for so long it does not.", {.range = kPositive}),
                 optional<&NoiseSource::late>("late", "Of starts: the time that a share of 1 stands for.",
                                              {.range = kPositive}),
                 optional<&NoiseSource::source>("source", "Where its numbers come from.")},
        .one_line = true,
        .example = "{on: compute, deviation: 0.1}",
        .check = checked<NoiseSource, check_source>,
        .defaults = default_of<NoiseSource>};
    return described;
}

template <>
const Description& description<NoiseProfile>() {
    static const Description described{
        .noun = "noise",
        .summary = "What makes the steps of a job differ, for `dodona simulate --noise`.",
        .keys = {file_name<&NoiseProfile::name>("noise"), file_source<&NoiseProfile::source>(),
                 required<&NoiseProfile::sources>("sources", "They add up.",
                                                  {.help = "[{on: compute, deviation: 0.1}]",
                                                   .none = "no source of noise",
                                                   .none_help = "[{on: compute, deviation: 0.1}]"})},
        .file_kind = "noise",
        .defaults = default_of<NoiseProfile>};
    return described;
}

NoiseProfile read_noise(Document document) { return read_file<NoiseProfile>(std::move(document)); }

NoiseSource read_noise_source(const std::string& text, const std::string& name) {
    Document document = parse_document(text, name);
    NoiseSource source;
    const Openers none;
    read_record(description<NoiseSource>(), Value(*document.root, "", document.faults), &source,
                {document.folder, none});
    throw_faults(document);
    return source;
}

}  // namespace dodona::files
