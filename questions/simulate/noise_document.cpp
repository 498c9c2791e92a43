#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "questions/simulate/simulate.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::questions::simulate {

namespace {

using namespace reports;

using dodona::simulate::NoiseShape;
using dodona::simulate::NoiseSource;
using play::NoisySteps;
using play::StepStatistics;

struct NamedShare {
    const char* label;
    double share;
};
constexpr std::array kPercentiles{NamedShare{"half of the steps take up to", 0.5}, NamedShare{"95 % take up to", 0.95},
                                  NamedShare{"99 % take up to", 0.99}, NamedShare{"the longest takes", 1}};

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
    stable_sort(alone, [](const auto& a, const auto& b) { return a.steps.mean > b.steps.mean; });
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

std::string replicas_text(const NoisySteps& noisy) {
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
                       [](const NoiseSource& source) { return source.every == dodona::simulate::NoiseEvery::run; });
}

}  // namespace

void add_noise(Document& document, const NoisySteps& noisy, double stragglers) {
    const auto sources =
        mapped<std::string>(noisy.settings.sources, [](const NoiseSource& source) { return source_text(source); });
    add_section(document, {"With noise: " + asked_text(noisy)}, {List{sources}, step_table(noisy), alone_table(noisy)});
    add_section(document, {"Efficiency against scale"}, {scale_table(noisy)});
    add(document, Note{replicas_text(noisy)});
    if (is_drawn_once(noisy)) {
        add(document, Note{"what is drawn once for all steps differs with --seed: the interval is that of this draw"});
    }
    if (stragglers > 0) {
        add(document,
            Note{fmt::format("the framework's stragglers, {} of the passes, are in the step without noise too",
                             percent(stragglers))});
    }
}

namespace {

std::string idle_cores_text(const play::LentCores& idle) {
    std::string decoding = "no decoding is known of (the framework's `input`)";
    if (idle.decoding > 0) {
        decoding = fmt::format("decoding needs {}{}", three_digits(idle.decoding),
                               idle.assumed ? fmt::format(" with a fast loader, {} JPEG images a second and core (not "
                                                          "known: the framework's `input`)",
                                                          whole(play::kDecodedOnCore))
                                            : "");
    }
    return fmt::format(
        "idle cores: {} of {} on each node can be lent with steps that are at most {} longer; {}, each of {} needs {}",
        whole(idle.lendable), whole(idle.cores), percent(play::kMaxSlowDown), decoding, counted(idle.ranks, "rank"),
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
                               "resource: an upper bound; of the bandwidth of the host's memory the job needs {}",
                               text(study.burst), text(study.silence), percent(study.host_memory))},
         loads, Paragraph{study.lent ? idle_cores_text(*study.lent) : ""}});
}

}  // namespace dodona::questions::simulate
