#include "reports/collect/noise_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "reports/document/number_format.hpp"

namespace dodona::reports {

namespace {

using play::NoisySteps;
using play::StepStatistics;
using simulate::NoiseShape;
using simulate::NoiseSource;

struct NamedShare {
    const char* key;
    const char* label;
    double share;
};
constexpr std::array kPercentiles{
    NamedShare{"p50_s", "half of the steps take up to", 0.5}, NamedShare{"p95_s", "95 % take up to", 0.95},
    NamedShare{"p99_s", "99 % take up to", 0.99}, NamedShare{"longest_s", "the longest takes", 1}};

Record source_record(const NoiseSource& source) {
    return {{"on", name(source.on)},
            {"by", name(source.by)},
            {"every", name(source.every)},
            {"distribution", name(source.distribution)},
            {"mean", source.mean},
            {"deviation", source.deviation},
            {"probability", source.probability},
            {"values", source.values},
            {"burst_s", source.burst},
            {"silence_s", source.silence},
            {"late_s", source.late}};
}

Record statistics_record(const NoisySteps& noisy, const StepStatistics& steps) {
    return {{"mean_s", steps.mean},
            {"lo_s", steps.low},
            {"hi_s", steps.high},
            {"deviation_s", steps.deviation},
            {"efficiency", noisy.efficiency(steps)}};
}

std::string amount_text(const NoiseSource& source) {
    std::string text(name(source.distribution));
    if (source.distribution == NoiseShape::empirical) {
        return fmt::format("{} of {}", text, counted(source.values.size(), "value"));
    }
    if (source.mean != 0) {
        text += fmt::format(", mean {}", signed_percent(source.mean));
    }
    return source.deviation > 0 ? text + fmt::format(", deviation {}", percent(source.deviation)) : text;
}

/// "compute, by node, drawn once a step: normal, deviation 13.7 %".
std::string source_text(const NoiseSource& source) {
    std::string text = fmt::format("{}, by {}, {}: {}", name(source.on), name(source.by),
                                   enumerator_of(source.every).meaning, amount_text(source));
    if (source.probability < 1) {
        text += fmt::format(", with probability {}", percent(source.probability));
    }
    if (source.late > Seconds{}) {
        text += fmt::format(", of {}", reports::text(source.late));
    }
    if (source.in_bursts()) {
        text += fmt::format(", in bursts of {} with {} of silence", reports::text(source.burst),
                            reports::text(source.silence));
    }
    return text;
}

std::string asked_text(const NoisySteps& noisy) {
    const std::string steps = counted(noisy.steps.size(), "step");
    return noisy.complete() ? fmt::format("{}, seed {}", steps, noisy.settings.seed)
                            : fmt::format("stopped after {} of {}, seed {}", steps, whole(noisy.settings.steps),
                                          noisy.settings.seed);
}

Cell mean_cell(const StepStatistics& steps) {
    Cell cell(steps.mean);
    if (steps.low < steps.high) {
        cell.interval = Interval{steps.low, steps.high};
    }
    return cell;
}

/// By what share of it a step is longer; rounding errors are none.
double longer(Seconds step, Seconds without) {
    const double share = step / without - 1;
    return std::abs(share) < 1e-9 ? 0 : share;
}

Percent slower(const NoisySteps& noisy, Seconds step) { return {.ratio = longer(step, noisy.without), .sign = true}; }

Table step_table(const NoisySteps& noisy) {
    Table table({{"steps"}, {"time", Align::right}, {"longer by", Align::right}});
    table.row({"without noise", noisy.without, ""});
    if (noisy.steps.empty()) {
        return table;
    }
    const StepStatistics all = noisy.all();
    table.row({"mean, with its 95 % interval", mean_cell(all), slower(noisy, all.mean)});
    for (const NamedShare& row : kPercentiles) {
        const Seconds step = play::percentile(noisy.steps, row.share);
        table.row({row.label, step, slower(noisy, step)});
    }
    return table;
}

Table alone_table(const NoisySteps& noisy) {
    Table table({{"noise on one kind alone"}, {"mean step", Align::right}, {"longer by", Align::right}});
    std::vector<play::NoiseAlone> alone = noisy.alone;
    std::stable_sort(alone.begin(), alone.end(),
                     [](const auto& a, const auto& b) { return a.steps.mean > b.steps.mean; });
    for (const play::NoiseAlone& one : alone) {
        table.row({std::string(name(one.on)), mean_cell(one.steps), slower(noisy, one.steps.mean)});
    }
    return table;
}

Table scale_table(const NoisySteps& noisy) {
    Table table({{"replicas", Align::right},
                 {"GPUs", Align::right},
                 {"mean step", Align::right},
                 {"efficiency", Align::right}});
    for (const play::NoisyScale& scale : noisy.scales) {
        if (scale.steps.mean > Seconds{}) {
            table.row({Count{scale.replicas}, Count{scale.ranks}, mean_cell(scale.steps),
                       Percent{noisy.efficiency(scale.steps)}});
        }
    }
    return table;
}

std::string folded_text(const NoisySteps& noisy) {
    const play::RankLayout& layout = noisy.layout;
    const std::int64_t together = layout.ranks() / (layout.stages * layout.replicas);
    std::string text =
        noisy.played == layout.replicas
            ? fmt::format("played: {}, each with draws of its own", counted(noisy.played, "replica"))
            : fmt::format("played: one of {}, which the noise does not part", counted(layout.replicas, "replica"));
    if (together > 1) {
        text += fmt::format("; the {} ranks of a stage that synchronise in every pass as one, the slowest of them",
                            whole(together));
    }
    return text;
}

bool is_drawn_once(const NoisySteps& noisy) {
    return std::any_of(noisy.settings.sources.begin(), noisy.settings.sources.end(),
                       [](const NoiseSource& source) { return source.every == simulate::NoiseEvery::run; });
}

}  // namespace

Record noise_record(const NoisySteps& noisy) {
    Record sources = no_elements();
    for (const NoiseSource& source : noisy.settings.sources) {
        sources.push_back(source_record(source));
    }
    Record scales = no_elements();
    for (const play::NoisyScale& scale : noisy.scales) {
        Record record{{"replicas", scale.replicas}, {"ranks", scale.ranks}};
        record.append(statistics_record(noisy, scale.steps));
        scales.push_back(std::move(record));
    }
    Record alone = no_elements();
    for (const play::NoiseAlone& one : noisy.alone) {
        Record record{{"on", name(one.on)}};
        record.append(statistics_record(noisy, one.steps));
        alone.push_back(std::move(record));
    }
    Record percentiles = no_fields();
    for (const NamedShare& row : kPercentiles) {
        percentiles[row.key] = noisy.steps.empty() ? Record() : Record(play::percentile(noisy.steps, row.share));
    }
    return {{"sources", sources},
            {"seed", noisy.settings.seed},
            {"steps_asked", noisy.settings.steps},
            {"without_s", noisy.without},
            {"with", noisy.steps.empty() ? Record() : statistics_record(noisy, noisy.all())},
            {"percentiles", percentiles},
            {"steps_s", noisy.steps},
            {"folded",
             {{"replicas", noisy.layout.replicas},
              {"replicas_played", noisy.played},
              {"ranks_in_step", noisy.layout.ranks() / (noisy.layout.stages * noisy.layout.replicas)}}},
            {"scales", scales},
            {"alone", alone}};
}

void add_noise(Document& document, const NoisySteps& noisy, double stragglers) {
    std::vector<std::string> sources;
    for (const NoiseSource& source : noisy.settings.sources) {
        sources.push_back(source_text(source));
    }
    add_section(document, {"With noise: " + asked_text(noisy)}, {List{sources}, step_table(noisy), alone_table(noisy)});
    add_section(document, {"Efficiency against scale"}, {scale_table(noisy)});
    add(document, Note{folded_text(noisy)});
    if (is_drawn_once(noisy)) {
        add(document, Note{"what is drawn once for all steps differs with --seed: the interval is that of this draw"});
    }
    if (stragglers > 0) {
        add(document,
            Note{fmt::format("the framework's stragglers, {} of the passes, are in the step without noise too",
                             percent(stragglers))});
    }
}

Record study_record(const play::NoiseStudy& study) {
    Record loads = no_elements();
    for (const play::LoadEffect& load : study.loads) {
        loads.push_back({{"on", name(load.on)},
                         {"mean_s", load.steps.mean},
                         {"lo_s", load.steps.low},
                         {"hi_s", load.steps.high},
                         {"longer", longer(load.steps.mean, study.without)},
                         {"touched", load.touched}});
    }
    Record lent;
    if (study.lent) {
        lent = {{"cores", study.lent->cores},
                {"decoding_cores", study.lent->decoding},
                {"decoding_assumed", study.lent->assumed},
                {"ranks", study.lent->ranks},
                {"lendable", study.lent->lendable}};
    }
    return {{"burst_s", study.burst},
            {"silence_s", study.silence},
            {"without_s", study.without},
            {"loads", loads},
            {"lent", lent}};
}

namespace {

std::string lent_text(const play::LentCores& lent) {
    std::string decoding = "no decoding is known of (the framework's `input`)";
    if (lent.decoding > 0) {
        decoding = fmt::format("decoding needs {}{}", three_digits(lent.decoding),
                               lent.assumed ? fmt::format(" with a fast loader, {} JPEG images a second and core (not "
                                                          "known: the framework's `input`)",
                                                          whole(play::kDecodedOnCore))
                                            : "");
    }
    return fmt::format(
        "idle cores: {} of {} on each node can be lent with steps that are at most {} longer; {}, each of {} needs {}",
        whole(lent.lendable), whole(lent.cores), percent(play::kMaxSlowDown), decoding, counted(lent.ranks, "rank"),
        whole(play::kCoresPerRank));
}

}  // namespace

void add_study(Document& document, const play::NoiseStudy& study) {
    Table loads(
        {{"load on"}, {"mean step", Align::right}, {"longer by", Align::right}, {"steps touched", Align::right}});
    for (const play::LoadEffect& load : study.loads) {
        loads.row({std::string(name(load.on)), load.steps.mean,
                   Percent{.ratio = longer(load.steps.mean, study.without), .sign = true}, Percent{load.touched}});
    }
    add_section(
        document, {"Loads beside the job"},
        {Paragraph{fmt::format("bursts of {} with {} of silence on each node, in which a load takes half of one "
                               "resource: an upper bound",
                               text(study.burst), text(study.silence))},
         loads, Paragraph{study.lent ? lent_text(*study.lent) : ""}});
}

}  // namespace dodona::reports
