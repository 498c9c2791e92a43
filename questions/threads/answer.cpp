#include <algorithm>

#include "base/ranges.hpp"
#include "questions/described.hpp"
#include "questions/threads/threads.hpp"

namespace dodona::files {

using questions::computed;
using threads::Agreement;
using threads::KnownCosts;
using threads::MeasuredSetting;
using threads::Section;
using threads::ThreadCosts;
using threads::Timed;

namespace {

struct AssumedCosts {
    ThreadCosts costs;
    std::vector<std::string> assumed;
};

struct ThreadsPrediction {
    threads::Prediction of;
    double beaten_within_cores = 0;
    double beaten_of_all = 0;
    std::vector<Timed> crowded;
    AssumedCosts costs;
    Evidence kernels{};
    std::vector<Timed> grid;
};

struct ComparedSetting {
    MeasuredSetting measured;
    std::optional<Seconds> predicted;
};

struct MeasuredThreads {
    Agreement found;
    std::optional<double> ranked;
    std::optional<Seconds> guideline;
    std::vector<ComparedSetting> settings;
};

struct CostName {
    const char* name;
    bool (*is_known)(const KnownCosts& known);
    bool in_devices = true;  ///< files of devices may have it measured
};
constexpr std::array kCostNames{
    CostName{"core_bandwidth_B_per_s", [](const KnownCosts& known) { return known.of_core.has_value(); }},
    CostName{"serial_s", [](const KnownCosts& known) { return known.serial.has_value(); }},
    CostName{"fork_s", [](const KnownCosts& known) { return known.fork.has_value(); }},
    CostName{"barrier_s", [](const KnownCosts& known) { return known.barrier.has_value(); }},
    CostName{"oversubscription", [](const KnownCosts& known) { return known.oversubscription.has_value(); }},
    CostName{"change_s", [](const KnownCosts& known) { return known.change.has_value(); }, false}};

double bytes_per_second(BytesPerSecond rate) { return rate.in(BytesPerSecond::of_base(1)); }

std::vector<std::string> cost_names() { return mapped<std::string>(kCostNames, &CostName::name); }
constexpr TextForm kCostForm{.is = "a cost", .choices = cost_names};

AssumedCosts assumed_costs(const questions::threads::Question& question) {
    AssumedCosts costs{question.costs, {}};
    for (const CostName& cost : kCostNames) {
        if (!cost.is_known(question.known) && !(cost.in_devices && question.device.threads)) {
            costs.assumed.emplace_back(cost.name);
        }
    }
    return costs;
}

std::optional<ThreadsPrediction> threads_prediction(const questions::threads::Answer& answer) {
    const auto& [question, prediction] = answer;
    if (!prediction) {
        return std::nullopt;
    }
    const std::int64_t cores = question.costs.cores;
    ThreadsPrediction all{.of = *prediction,
                          .beaten_within_cores = prediction->beaten(prediction->guideline.time, true, cores),
                          .beaten_of_all = prediction->beaten(prediction->guideline.time, false, cores),
                          .crowded = questions::threads::crowded(*prediction, cores),
                          .costs = assumed_costs(question),
                          .kernels = answer.evidence(),
                          .grid = {}};
    for (const Timed& one : prediction->grid) {
        if (question.whole_grid || questions::threads::within(one.setting, cores)) {
            all.grid.push_back(one);
        }
    }
    return all;
}

std::optional<MeasuredThreads> measured_threads(const questions::threads::Answer& answer) {
    const std::vector<MeasuredSetting>& measured = answer.question.measured;
    if (!answer.prediction || measured.empty()) {
        return std::nullopt;
    }
    MeasuredThreads all{.found = threads::agreement(*answer.prediction, measured)};
    if (all.found.distinguished > 0) {
        all.ranked = all.found.ranked;
    }
    if (all.found.guideline) {
        all.guideline = all.found.guideline->median;
    }
    for (const MeasuredSetting& one : measured) {
        all.settings.push_back({one, threads::predicted(*answer.prediction, one.setting)});
    }
    return all;
}

}  // namespace

template <>
const Description& description<Timed>() {
    using threads::Setting;
    static const Description described{
        .keys = {required<&Timed::setting, &Setting::workers>("workers", "operators at once", {.range = at_least(1)}),
                 required<&Timed::setting, &Setting::threads>("threads", "of each operator", {.range = at_least(1)}),
                 required<&Timed::time>("time", "of a forward pass")}};
    return described;
}

template <>
const Description& description<Section>() {
    using threads::Setting;
    const KeyOptions from_1{.range = at_least(1)};
    static const Description described{
        .keys = {required<&Section::depths>("depths", "", from_1),
                 required<&Section::narrowest>("narrowest", "operators of a depth", from_1),
                 required<&Section::widest>("widest", "", from_1),
                 required<&Section::setting, &Setting::workers>("workers", "", from_1),
                 required<&Section::setting, &Setting::threads>("threads", "", from_1),
                 required<&Section::time>("time", "without the change before it")}};
    return described;
}

template <>
const Description& description<AssumedCosts>() {
    static const Description described{
        .keys = {
            computed("core_bandwidth_B_per_s", "",
                     [](const AssumedCosts& all) { return bytes_per_second(all.costs.of_core); },
                     {.range = kNotNegative}),
            computed("bandwidth_B_per_s", "of all cores",
                     [](const AssumedCosts& all) { return bytes_per_second(all.costs.of_all); },
                     {.range = kNotNegative}),
            required<&AssumedCosts::costs, &ThreadCosts::serial>("serial", "of a kernel"),
            required<&AssumedCosts::costs, &ThreadCosts::fork>("fork", "of a kernel on more than one thread"),
            required<&AssumedCosts::costs, &ThreadCosts::barrier>("barrier",
                                                                  "each time the threads of a kernel double"),
            required<&AssumedCosts::costs, &ThreadCosts::oversubscription>(
                "oversubscription",
                "share by which work takes longer for each further thread on a core, of kernels that `crowding` does "
                "not have",
                {.range = kNotNegative}),
            required<&AssumedCosts::costs, &ThreadCosts::crowding>("crowding", "the same, measured by kind of kernel"),
            required<&AssumedCosts::costs, &ThreadCosts::change>("change", "of both numbers, at run time"),
            required<&AssumedCosts::assumed>("assumed", "costs that were not given", {.form = &kCostForm})}};
    return described;
}

template <>
const Description& description<ThreadsPrediction>() {
    using threads::Prediction;
    const KeyOptions from_1{.range = at_least(1)};
    const KeyOptions share{.range = kShare};
    static const Description described{
        .keys = {
            required<&ThreadsPrediction::of, &Prediction::operators>("operators", "", from_1),
            required<&ThreadsPrediction::of, &Prediction::depths>("depths", "", from_1),
            required<&ThreadsPrediction::of, &Prediction::widest>("widest", "", from_1),
            required<&ThreadsPrediction::of, &Prediction::average_width>("average_width", "operators over depths",
                                                                         from_1),
            required<&ThreadsPrediction::of, &Prediction::none>("none", "as frameworks start"),
            required<&ThreadsPrediction::of, &Prediction::chain>("chain", "one operator at a time"),
            required<&ThreadsPrediction::of, &Prediction::guideline>("guideline", ""),
            required<&ThreadsPrediction::of, &Prediction::fixed>("fixed", "the fastest within the cores"),
            required<&ThreadsPrediction::of, &Prediction::dynamic>("dynamic", "with the changes between sections"),
            required<&ThreadsPrediction::of, &Prediction::sections>("sections", "of dynamic", {.none = "there is one"}),
            required<&ThreadsPrediction::beaten_within_cores>(
                "beaten_within_cores", "settings with workers x threads <= cores that are slower than the guideline",
                share),
            required<&ThreadsPrediction::beaten_of_all>("beaten_of_all",
                                                        "the same of all workers and threads from 1 to cores", share),
            required<&ThreadsPrediction::crowded>(
                "crowded", "the guideline's workers with twice as many threads each time", {.none = "there is one"}),
            required<&ThreadsPrediction::costs>("costs", ""),
            required<&ThreadsPrediction::kernels>("kernels", "the weakest evidence of their times on all cores"),
            required<&ThreadsPrediction::grid>("grid",
                                               "settings with workers x threads <= cores; all that were asked for with "
                                               "--most or measured ones",
                                               {.rows = true, .none = "there is one"})}};
    return described;
}

template <>
const Description& description<ComparedSetting>() {
    using threads::Setting;
    static const Description described{
        .keys = {required<&ComparedSetting::measured, &MeasuredSetting::setting, &Setting::workers>(
                     "workers", "", {.range = at_least(1)}),
                 required<&ComparedSetting::measured, &MeasuredSetting::setting, &Setting::threads>(
                     "threads", "", {.range = at_least(1)}),
                 required<&ComparedSetting::measured, &MeasuredSetting::lower>("lower", "quartile of its passes"),
                 required<&ComparedSetting::measured, &MeasuredSetting::median>("median", ""),
                 required<&ComparedSetting::measured, &MeasuredSetting::upper>("upper", "quartile"),
                 required<&ComparedSetting::predicted>("predicted", "null: not in the grid")}};
    return described;
}

template <>
const Description& description<MeasuredThreads>() {
    const KeyOptions not_negative{.range = kNotNegative};
    static const Description described{
        .keys = {required<&MeasuredThreads::found, &Agreement::pairs>(
                     "pairs", "of settings that were measured and predicted", not_negative),
                 required<&MeasuredThreads::found, &Agreement::distinguished>(
                     "told_apart", "whose quartiles do not overlap", not_negative),
                 required<&MeasuredThreads::ranked>(
                     "ranked", "share of those in the order predicted; null where there are none", {.range = kShare}),
                 required<&MeasuredThreads::guideline>("guideline", "measured"),
                 required<&MeasuredThreads::found, &Agreement::others>("others", "settings other than the guideline",
                                                                       not_negative),
                 required<&MeasuredThreads::found, &Agreement::slower>("slower_than_guideline", "", not_negative),
                 required<&MeasuredThreads::found, &Agreement::faster>("faster_than_guideline",
                                                                       "by more than their quartiles", not_negative),
                 required<&MeasuredThreads::settings>("settings", "", {.none = "there is one"})}};
    return described;
}

template <>
const Description& description<questions::threads::Answer>() {
    using questions::threads::Answer;
    using questions::threads::Question;
    static const Description described{
        .noun = "threads",
        .summary = "SI base units, the unit in the key; what is absent is null.",
        .keys = {
            required<&Answer::question, &Question::costs, &ThreadCosts::cores>("cores", "", {.range = at_least(1)}),
            required<&Answer::question, &Question::batch>("batch", "", {.range = at_least(1)}),
            computed("fits", "", [](const Answer& answer) { return answer.prediction.has_value(); }),
            required<&Answer::question, &Question::weights>("weight", ""),
            required<&Answer::question, &Question::device, &cluster::Device::memory>("memory", ""),
            computed("forecast", "null where the weights are more than the memory",
                     [](const Answer& answer) { return threads_prediction(answer); }),
            computed("measured", "null: no settings were measured",
                     [](const Answer& answer) { return measured_threads(answer); })}};
    return described;
}

}  // namespace dodona::files

namespace dodona::questions::threads {

bool within(const dodona::threads::Setting& setting, std::int64_t cores) {
    return setting.workers * setting.threads <= cores;
}

std::vector<dodona::threads::Timed> crowded(const dodona::threads::Prediction& answer, std::int64_t cores) {
    std::vector<dodona::threads::Timed> all{answer.guideline};
    while (all.back().setting.threads < cores) {
        const auto [workers, threads] = all.back().setting;
        const std::int64_t more = std::min(cores, 2 * threads);
        all.push_back(answer.grid[static_cast<std::size_t>((workers - 1) * answer.most + more - 1)]);
    }
    return all;
}

}  // namespace dodona::questions::threads
