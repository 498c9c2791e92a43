#include <cmath>

#include "base/ranges.hpp"
#include "questions/described.hpp"
#include "questions/simulate/simulate.hpp"

namespace dodona::files {

using play::LentCores;
using play::LoadEffect;
using play::NoiseSettings;
using play::NoiseStudy;
using play::NoisySteps;
using play::RankLayout;
using play::StepStatistics;
using questions::computed;
using questions::simulate::DrawnLengths;
using simulate::NoiseSource;

namespace {

/// Steps with noise, with what is left of the speed without it.
struct NoisyMean {
    StepStatistics steps;
    double efficiency = 0;
};

struct ScaleRow {
    std::int64_t replicas = 1;
    std::int64_t ranks = 1;
    NoisyMean steps;
};

struct AloneRow {
    simulate::NoiseOn on{};
    NoisyMean steps;
};

struct LoadRow {
    LoadEffect load;
    double longer = 0;
};

NoisyMean noisy_mean(const NoisySteps& noisy, const StepStatistics& steps) { return {steps, noisy.efficiency(steps)}; }

std::optional<NoisyMean> mean_of_all(const NoisySteps& noisy) {
    return noisy.steps.empty() ? std::nullopt : std::optional(noisy_mean(noisy, noisy.all()));
}

std::vector<ScaleRow> scale_rows(const NoisySteps& noisy) {
    return mapped<ScaleRow>(noisy.scales, [&](const play::NoisyScale& scale) {
        return ScaleRow{scale.replicas, scale.ranks, noisy_mean(noisy, scale.steps)};
    });
}

std::vector<AloneRow> alone_rows(const NoisySteps& noisy) {
    return mapped<AloneRow>(noisy.alone, [&](const play::NoiseAlone& one) {
        return AloneRow{one.on, noisy_mean(noisy, one.steps)};
    });
}

std::vector<LoadRow> load_rows(const NoiseStudy& study) {
    return mapped<LoadRow>(study.loads, [&](const LoadEffect& load) {
        return LoadRow{load, questions::simulate::longer(load.steps.mean, study.without)};
    });
}

std::optional<Seconds> percentile_of(const NoisySteps& noisy, double share) {
    return noisy.steps.empty() ? std::nullopt : std::optional(play::percentile(noisy.steps, share));
}

/// A source as in noise files, with all its values.
const Description& noise_in_full() {
    static const Description described{
        .keys = {required<&NoiseSource::on>("on", ""), required<&NoiseSource::by>("by", ""),
                 required<&NoiseSource::every>("every", ""), required<&NoiseSource::distribution>("distribution", ""),
                 required<&NoiseSource::mean>("mean", "a share of the time"),
                 required<&NoiseSource::deviation>("deviation", "", {.range = kNotNegative}),
                 required<&NoiseSource::probability>("probability", "", {.range = kPositiveShare}),
                 required<&NoiseSource::values>("values", ""), required<&NoiseSource::burst>("burst", "0: always on"),
                 required<&NoiseSource::silence>("silence", ""), required<&NoiseSource::late>("late", "")}};
    return described;
}

/// The 95 % confidence interval of the mean may reach below 0.
std::vector<Key> interval_of_mean() {
    return {required<&StepStatistics::mean>("mean", ""),
            computed("lo_s", "95 % confidence interval of the mean, as of steps that are independent",
                     [](const StepStatistics& steps) { return steps.low.in(unit::second); }),
            computed("hi_s", "", [](const StepStatistics& steps) { return steps.high.in(unit::second); })};
}

const Description& mean_of_steps() {
    static const Description described{.keys = interval_of_mean()};
    return described;
}

const Description& mean_and_deviation() {
    static const Description described{
        .keys = joined(interval_of_mean(), {required<&StepStatistics::deviation>("deviation", "of one step")})};
    return described;
}

const Description& percentiles() {
    static const Description described{
        .keys = {computed("p50", "", [](const NoisySteps& noisy) { return percentile_of(noisy, 0.5); }),
                 computed("p95", "", [](const NoisySteps& noisy) { return percentile_of(noisy, 0.95); }),
                 computed("p99", "", [](const NoisySteps& noisy) { return percentile_of(noisy, 0.99); }),
                 computed("longest", "", [](const NoisySteps& noisy) { return percentile_of(noisy, 1); })}};
    return described;
}

const Description& folded_replicas() {
    const KeyOptions from_1{.range = at_least(1)};
    static const Description described{
        .keys = {
            required<&NoisySteps::layout, &RankLayout::replicas>("replicas", "that synchronise once a step", from_1),
            required<&NoisySteps::played>("replicas_played", "1: noise does not part them", from_1),
            computed(
                "ranks_in_step", "of a stage and replica: simulated as one, as slow as the slowest",
                [](const NoisySteps& noisy) {
                    return noisy.layout.ranks() / (noisy.layout.stages * noisy.layout.replicas);
                },
                from_1)}};
    return described;
}

const Description& drawn_steps() {
    static const Description described{
        .keys = {
            computed("steps", "", [](const NoisySteps& noisy) { return noisy.steps.size(); }, {.range = kNotNegative}),
            computed_as(record_type(mean_and_deviation), "mean", "",
                        [](const NoisySteps& noisy) { return noisy.all(); }, {.in_place = true})}};
    return described;
}

}  // namespace

template <>
const Description& description<NoisyMean>() {
    static const Description described{
        .noun = "step_statistics",
        .keys = {required_as<&NoisyMean::steps>(record_type(mean_and_deviation), "steps", "", {.in_place = true}),
                 required<&NoisyMean::efficiency>("efficiency", "without_s over the mean", {.range = kNotNegative})}};
    return described;
}

namespace {

/// The keys of a NoisyMean among those of another record.
template <auto Mean>
std::vector<Key> noisy_mean_keys() {
    return {required_as<Mean, &NoisyMean::steps>(record_type(mean_and_deviation), "steps", "", {.in_place = true}),
            required<Mean, &NoisyMean::efficiency>("efficiency", "", {.range = kNotNegative})};
}

}  // namespace

template <>
const Description& description<ScaleRow>() {
    static const Description described{
        .keys = joined({required<&ScaleRow::replicas>("replicas", "", {.range = at_least(1)}),
                        required<&ScaleRow::ranks>("ranks", "", {.range = at_least(1)})},
                       noisy_mean_keys<&ScaleRow::steps>())};
    return described;
}

template <>
const Description& description<AloneRow>() {
    static const Description described{
        .keys = joined({required<&AloneRow::on>("on", "")}, noisy_mean_keys<&AloneRow::steps>())};
    return described;
}

template <>
const Description& description<NoisySteps>() {
    static const Description described{
        .keys = {
            required_as<&NoisySteps::settings, &NoiseSettings::sources>(
                list_type<NoiseSource>(record_type(noise_in_full), {.none = "there is one"}), "sources", ""),
            required<&NoisySteps::settings, &NoiseSettings::seed>("seed", "", {.range = kNotNegative}),
            required<&NoisySteps::settings, &NoiseSettings::steps>("steps_asked", "more than steps_s has: interrupted",
                                                                   {.range = at_least(1)}),
            required<&NoisySteps::without>("without", "a step without noise"),
            computed("with", "null: no step was finished", [](const NoisySteps& noisy) { return mean_of_all(noisy); }),
            required_as(record_type(percentiles), "percentiles", ""), required<&NoisySteps::steps>("steps", ""),
            required_as(record_type(folded_replicas), "folded", ""),
            computed("scales", "the first replicas of the job, with the exchange of the whole job",
                     [](const NoisySteps& noisy) { return scale_rows(noisy); }),
            computed("alone", "with the noise on one kind of work alone, where there is noise on several",
                     [](const NoisySteps& noisy) { return alone_rows(noisy); })}};
    return described;
}

template <>
const Description& description<LoadRow>() {
    static const Description described{
        .keys = {required<&LoadRow::load, &LoadEffect::on>("on", ""),
                 required_as<&LoadRow::load, &LoadEffect::steps>(record_type(mean_of_steps), "steps", "",
                                                                 {.in_place = true}),
                 required<&LoadRow::longer>("longer", "mean_s over without_s, less 1"),
                 required<&LoadRow::load, &LoadEffect::touched>("touched", "share of the steps that take longer",
                                                                {.range = kShare})}};
    return described;
}

template <>
const Description& description<LentCores>() {
    static const Description described{
        .keys = {required<&LentCores::cores>("cores", "", {.range = at_least(1)}),
                 required<&LentCores::decoding>("decoding_cores", "", {.range = kNotNegative}),
                 required<&LentCores::assumed>("decoding_assumed",
                                               "those of a fast loader, for want of the framework's `input`"),
                 required<&LentCores::ranks>("ranks", "on the node, each with a process and threads that communicate",
                                             {.range = at_least(1)}),
                 required<&LentCores::lendable>("lendable", "", {.range = kNotNegative})}};
    return described;
}

template <>
const Description& description<NoiseStudy>() {
    static const Description described{
        .keys = {
            required<&NoiseStudy::burst>("burst", "", {.range = kPositive}),
            required<&NoiseStudy::silence>("silence", "", {.range = kPositive}),
            required<&NoiseStudy::without>("without", "a step without load"),
            computed("loads", "the one that hurts most first; fewer: interrupted",
                     [](const NoiseStudy& study) { return load_rows(study); }),
            required<&NoiseStudy::host_memory>(
                "host_memory", "share of the bandwidth of a host's memory that the job needs", {.range = kNotNegative}),
            required<&NoiseStudy::lent>("lent",
                                        "cores of a node that others may use; null: their number is not known")}};
    return described;
}

template <>
const Description& description<DrawnLengths>() {
    static const Description described{
        .keys = {required<&DrawnLengths::lengths>("lengths", "", {.in_place = true}),
                 required_as<&DrawnLengths::steps>(record_type(drawn_steps), "played", "")}};
    return described;
}

}  // namespace dodona::files

namespace dodona::questions::simulate {

double longer(Seconds step, Seconds without) {
    const double share = step / without - 1;
    return std::abs(share) < 1e-9 ? 0 : share;
}

}  // namespace dodona::questions::simulate
