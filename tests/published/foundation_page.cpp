#include "foundation_page.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "paradl_runs.hpp"
#include "reports/render/markdown.hpp"

namespace dodona::published {

using reports::Align;
using reports::Table;

namespace {

constexpr const char* kTop =
    "# What kernels and links alone predict\n\n"
    "Predictions of published runs from kernels and links that were measured alone, data sheets where none was, and "
    "the\n"
    "layer tables in `models/`, with no software between (`--software none`). Nothing is fitted to these or any "
    "other\n"
    "runs: what is missing here is what a framework adds. Errors are (predicted - measured) / measured; negative is "
    "too fast. Intervals are meant to hold the\n"
    "truth in 90 % of cases.\n\n"
    "`DODONA_ACCEPT=1 meson test -C BUILD published` writes this page (`tests/published/foundation_page.cpp`; "
    "measured\n"
    "figures with their sources in `megatron_runs.hpp` and `paradl_runs.hpp` there). Without the variable the same "
    "test\n"
    "compares it.\n";

constexpr const char* kMegatron =
    "\n## Megatron-LM on Selene\n\n"
    "fp16 with Adam and fp32 gradients, sequence 2048, no sharding of optimizer states, machine `selene`. \"t 8, p 35 "
    "x 3,\n"
    "d 9\" is tensor 8, pipeline 35 of 3 virtual stages each, data 9; b is the micro-batch.\n";

constexpr const char* kParadl =
    "\n## ParaDL's Table VIII\n\n"
    "Seconds per epoch of ImageNet, 4 V100 a node, fp32, momentum, nothing overlapped. `abci-chainermn` is ABCI as "
    "those\n"
    "runs used it (one ring, point-to-point messages staged through the host); `abci` is the same hardware with every\n"
    "algorithm, all links and no staging. Strategies are ours, with conversions where tensors are smallest: the runs\n"
    "gathered after every convolution (`data+filter-paradl`, ...), which takes longer. Measured times include input, "
    "which is not modelled here.\n";

/// Signed relative errors of a group of runs.
class Errors {
public:
    void add(double predicted, double measured) { all_.push_back(predicted / measured - 1); }

    [[nodiscard]] double mean() const {
        double sum = 0;
        for (const double error : all_) {
            sum += error;
        }
        return sum / static_cast<double>(all_.size());
    }
    [[nodiscard]] double mean_absolute() const { return absolute().mean(); }
    [[nodiscard]] double median_absolute() const { return absolute().median(); }
    [[nodiscard]] double median() const {
        std::vector<double> sorted = all_;
        std::sort(sorted.begin(), sorted.end());
        const std::size_t half = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted[half] : 0.5 * (sorted[half - 1] + sorted[half]);
    }
    [[nodiscard]] double largest() const {
        const Errors sizes = absolute();
        return *std::max_element(sizes.all_.begin(), sizes.all_.end());
    }

private:
    [[nodiscard]] Errors absolute() const {
        Errors sizes;
        for (const double error : all_) {
            sizes.all_.push_back(std::abs(error));
        }
        return sizes;
    }
    std::vector<double> all_;
};

std::string percent(double ratio) { return fmt::format("{:+.1f} %", 100 * ratio); }
std::string plain_percent(double ratio) { return fmt::format("{:.1f} %", 100 * ratio); }
std::string seconds(double value) { return value < 1000 ? fmt::format("{:.4g}", value) : fmt::format("{:.0f}", value); }

std::string layout(const MegatronRun& run) {
    std::string text = fmt::format("t {}", run.tensor);
    if (run.pipeline > 1) {
        text += fmt::format(", p {}", run.pipeline) +
                (run.virtual_stages > 1 ? fmt::format(" x {}", run.virtual_stages) : "");
    }
    if (run.data > 1) {
        text += fmt::format(", d {}", run.data);
    }
    text += fmt::format(", b {}, {}", run.microbatch, plan::name(run.recompute));
    return text + (run.sequence ? " + sequence" : "");
}

std::string megatron_group(const char* title, const char* source, std::span<const MegatronRun> runs) {
    Table table({{"run"},
                 {"network"},
                 {"layout"},
                 {"measured, s", Align::right},
                 {"predicted, s", Align::right},
                 {"error", Align::right},
                 {"90 % interval, s", Align::right}});
    Errors errors;
    int inside = 0;
    for (const MegatronRun& run : runs) {
        const Estimate step = predict_run(run).step;
        const double value = step.value.in(unit::second);
        const double lo = step.lo.in(unit::second);
        const double hi = step.hi.in(unit::second);
        const bool holds = lo <= run.step && run.step <= hi;
        inside += holds ? 1 : 0;
        errors.add(value, run.step);
        table.row({run.id, run.model, layout(run), seconds(run.step), seconds(value), percent(value / run.step - 1),
                   fmt::format("{} to {}, {}", seconds(lo), seconds(hi), holds ? "holds" : "misses")});
    }
    return fmt::format(
        "\n### {}\n\n{}\n\n{}\nError: mean {}, median {}; absolute: mean {}, median {}, largest {}. The interval holds "
        "{} of "
        "{}.\n",
        title, source, reports::markdown(table), percent(errors.mean()), percent(errors.median()),
        plain_percent(errors.mean_absolute()), plain_percent(errors.median_absolute()), plain_percent(errors.largest()),
        inside, runs.size());
}

/// Error, or why the plan does not run.
std::string outcome(const step::Prediction& prediction, double measured, Errors& errors) {
    const double value = prediction.epoch->total.in(unit::second);
    errors.add(value, measured);
    return fmt::format("{} ({}){}", seconds(value), percent(value / measured - 1),
                       prediction.fits ? "" : ", does not fit");
}

std::string summary(const char* what, const Errors& errors) {
    return fmt::format("- {}: error mean {}, median {}; absolute: mean {}, median {}, largest {}\n", what,
                       percent(errors.mean()), percent(errors.median()), plain_percent(errors.mean_absolute()),
                       plain_percent(errors.median_absolute()), plain_percent(errors.largest()));
}

std::string paradl_group() {
    Table table({{"network"},
                 {"GPUs", Align::right},
                 {"strategy"},
                 {"measured, s", Align::right},
                 {"abci-chainermn", Align::right},
                 {"abci", Align::right},
                 {"ParaDL's projection", Align::right}});
    Errors then, now, paradl;
    for (const ParaDLRun& run : kTableEight) {
        paradl.add(run.projected, run.measured);
        table.row(
            {run.model, std::to_string(run.gpus), run.strategy, seconds(run.measured),
             outcome(predict_paradl(run.model, "abci-chainermn", run.strategy, run.gpus, Carried::naturally),
                     run.measured, then),
             outcome(predict_paradl(run.model, "abci", run.strategy, run.gpus, Carried::naturally), run.measured, now),
             fmt::format("{} ({})", seconds(run.projected), percent(run.projected / run.measured - 1))});
    }
    return "\n" + reports::markdown(table) + "\n" + summary("`abci-chainermn`", then) + summary("`abci`", now) +
           summary("ParaDL's projection, from measured layers", paradl);
}

/// Strategies from fastest to slowest.
std::string order(const char* model, std::int64_t gpus, const std::string& machine) {
    std::vector<std::pair<double, std::string>> all;
    for (const char* strategy : {"data+spatial", "data+filter", "filter", "channel"}) {
        const step::Prediction prediction = predict_paradl(model, machine, strategy, gpus, Carried::naturally);
        const bool broken = std::any_of(prediction.limits.begin(), prediction.limits.end(),
                                        [](const step::Limit& limit) { return limit.broken(); });
        if (!broken) {
            all.emplace_back(prediction.epoch->total.in(unit::second), strategy);
        }
    }
    std::sort(all.begin(), all.end());
    std::string text;
    for (const auto& [time, strategy] : all) {
        text += (text.empty() ? "" : " < ") + strategy;
    }
    return text;
}

std::string measured_order(const char* model, std::int64_t gpus) {
    std::vector<std::pair<double, std::string>> all;
    for (const ParaDLRun& run : kTableEight) {
        if (std::string(run.model) == model && run.gpus == gpus) {
            all.emplace_back(run.measured, run.strategy);
        }
    }
    std::sort(all.begin(), all.end());
    std::string text;
    for (const auto& [time, strategy] : all) {
        text += (text.empty() ? "" : " < ") + strategy;
    }
    return text;
}

std::string ranks() {
    Table table({{"network"}, {"GPUs", Align::right}, {"measured"}, {"abci-chainermn"}, {"abci"}});
    for (const char* model : {"resnet50", "vgg16"}) {
        for (const std::int64_t gpus : {32, 64, 128, 256}) {
            const std::string truth = measured_order(model, gpus);
            const auto shown = [&](const std::string& found) {
                return found == truth ? std::string("as measured") : found;
            };
            table.row({model, std::to_string(gpus), truth, shown(order(model, gpus, "abci-chainermn")),
                       shown(order(model, gpus, "abci"))});
        }
    }
    return "\n### Ranks\n\nFastest first; strategies that cannot be split so far are left out.\n\n" +
           reports::markdown(table);
}

/// Compute and communication of an epoch.
std::string parts(const ParaDLParts& run, const char* machine) {
    const step::Epoch epoch = *predict_paradl(run.model, machine, run.strategy, 64, Carried::naturally).epoch;
    return seconds(epoch.compute.in(unit::second)) + " + " + seconds(epoch.communication.in(unit::second));
}

std::string parts_group() {
    Table table({{"network"},
                 {"strategy"},
                 {"measured, s", Align::right},
                 {"abci-chainermn, s", Align::right},
                 {"abci, s", Align::right}});
    for (const ParaDLParts& run : kTableEightParts) {
        table.row({run.model, run.strategy, seconds(run.compute) + " + " + seconds(run.communication),
                   parts(run, "abci-chainermn"), parts(run, "abci")});
    }
    return "\n### Parts on 64 GPUs\n\nSeconds per epoch of compute + communication. Without staging halos run at link "
           "speed: "
           "what separates the two\nmachines under data+spatial.\n\n" +
           reports::markdown(table);
}

}  // namespace

step::Prediction predict_run(const MegatronRun& run) {
    plan::Plan plan;
    plan.strategy = library().strategy(run.sequence ? "megatron-sequence" : "megatron");
    plan.mesh = {{"tensor", run.tensor}, {"data", run.data}, {"pipeline", run.pipeline}};
    plan.batch = run.batch;
    plan.microbatch = run.microbatch;
    plan.virtual_stages = run.virtual_stages;
    plan.schedule =
        run.virtual_stages > 1 ? plan::ScheduleKind::interleaved : plan::ScheduleKind::one_forward_one_backward;
    plan.recompute = run.recompute;
    plan.overlap.gradients = run.overlap_gradients;
    plan.precision = Precision::fp16;
    plan.framework = library().framework("none");
    return step::predict(network(run.model), library().cluster("selene"), plan);
}

std::string foundation_page() {
    return kTop + std::string(kMegatron) +
           megatron_group("Korthikanti et al., Table 5",
                          "arXiv:2205.05198, Table 5; no data parallelism, nothing overlapped.", kKorthikanti) +
           megatron_group(
               "Narayanan et al., SC 2021, Table 1",
               "arXiv:2104.04473, Table 1; full recomputation; the first four reduce gradients behind backward.",
               kSc21) +
           kParadl + paradl_group() + ranks() + parts_group();
}

}  // namespace dodona::published
