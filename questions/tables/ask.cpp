#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "plan/optimizer.hpp"
#include "questions/tables/tables.hpp"
#include "search/batches.hpp"

namespace dodona::questions::tables {

Asked<Question> question(Workload workload, Options options) {
    Faults faults;
    check_devices(workload.cluster, options.devices, faults);
    for (const auto& [name, share] : {std::pair{"cache", options.cache}, std::pair{"reserve", options.reserve}}) {
        if (share >= 1) {
            faults.push_back({name, fmt::format("{} is no share of device memory", share), "such as 0.1"});
        }
    }
    if (faults.empty() && options.cache + options.reserve >= 1) {
        faults.push_back({"cache", "with --reserve it leaves the tables no device memory", "less of either"});
    }
    if (dodona::tables::tables_of(workload.graph).empty()) {
        faults.push_back({"MODEL", fmt::format("{} has no embedding tables", workload.subject.model),
                          "one with embedding_bag layers, such as dlrm-bench"});
    }
    const std::vector<std::string> tiers = dodona::tables::tier_names(workload.cluster);
    if (options.tier && std::find(tiers.begin(), tiers.end(), *options.tier) == tiers.end()) {
        faults.push_back(
            {"tier",
             fmt::format("\"{}\" is not one of {}{}", *options.tier, join(tiers), did_you_mean(*options.tier, tiers)),
             {}});
    }
    if (!faults.empty()) {
        return faults;
    }
    if (!options.batch) {
        options.batch = search::default_batch(workload.graph, workload.cluster, options.devices);
    }
    return Question{std::move(workload), std::move(options)};
}

Answer ask(const Question& question) {
    const auto& [workload, options] = question;
    const dodona::tables::StepQuestion step{.graph = workload.graph,
                                            .cluster = workload.cluster,
                                            .devices = options.devices,
                                            .batch = *options.batch,
                                            .precision = options.precision,
                                            .format = {.element = options.table_precision == "fp32" ? 4_B : 2_B,
                                                       .moments = plan::optimizer(options.optimizer).table},
                                            .zipf = options.zipf,
                                            .cache = options.cache,
                                            .reserve = options.reserve,
                                            .may_split = !options.whole,
                                            .replicate = options.replicate,
                                            .fabrics = options.fabrics,
                                            .row_rate = options.row_bandwidth,
                                            .only = options.tier};
    Answer answer{.subject = workload.subject,
                  .devices = step.devices,
                  .batch = step.batch,
                  .rate_given = step.row_rate.has_value(),
                  .prediction = dodona::tables::predict(step),
                  .fabrics = {}};
    if (step.fabrics && answer.fits()) {
        answer.fabrics = dodona::tables::other_fabrics(step, answer.prediction);
    }
    return answer;
}

}  // namespace dodona::questions::tables
