#include "reports/json/comparison.hpp"

namespace dodona::reports {

namespace {

Json ratio_json(const std::optional<double>& value) { return value ? number(*value) : Json(nullptr); }
Json seconds_json(const std::optional<Seconds>& time) { return time ? number(time->in(unit::second)) : Json(nullptr); }
Json bytes_json(const std::optional<Bytes>& size) { return size ? number(size->in(unit::byte)) : Json(nullptr); }

Json share(const validate::Share& share) { return {{"rows", share.rows}, {"mape", ratio_json(share.mape)}}; }

Json statistics_json(const validate::Statistics& all) {
    return {{"group", all.group},
            {"rows", all.rows},
            {"skipped", all.skipped},
            {"mape", ratio_json(all.mape)},
            {"median_ape", ratio_json(all.median_ape)},
            {"bias", ratio_json(all.bias)},
            {"p90", ratio_json(all.p90)},
            {"coverage", ratio_json(all.coverage)},
            {"pair_accuracy", ratio_json(all.pair_accuracy)},
            {"top1_regret", ratio_json(all.top1_regret)},
            {"memory_mape", ratio_json(all.memory_mape)},
            {"compute_mape", ratio_json(all.compute_mape)},
            {"communication_mape", ratio_json(all.communication_mape)},
            {"fit",
             {{"ran_fits", all.fit.ran_fits},
              {"ran_not", all.fit.ran_not},
              {"oom_fits", all.fit.oom_fits},
              {"oom_not", all.fit.oom_not}}},
            {"stated", share(all.stated)},
            {"assumed", share(all.assumed)}};
}

/// Null of a run that was refused.
Json parts(const validate::RunResult& row) {
    Json all = Json::object();
    for (std::size_t i = 0; i < step::kTimeParts; ++i) {
        const std::string name(step::name(static_cast<step::TimePart>(i)));
        all[name] = row.predicted ? number(row.time.values[i].in(unit::second)) : Json(nullptr);
    }
    return all;
}

}  // namespace

Json run_json(const validate::RunResult& row) {
    const auto bound = [&](Seconds Estimate::*which) {
        return row.predicted ? number(((*row.predicted).*which).in(unit::second)) : Json(nullptr);
    };
    return {{"id", row.id},
            {"group", row.group},
            {"predicted_s", bound(&Estimate::value)},
            {"lo_s", bound(&Estimate::lo)},
            {"hi_s", bound(&Estimate::hi)},
            {"measured_s", seconds_json(row.measured)},
            {"error", ratio_json(row.error)},
            {"fits", row.fits ? Json(*row.fits) : Json(nullptr)},
            {"ran", row.ran ? Json(*row.ran) : Json(nullptr)},
            {"assumed", row.assumed},
            {"predicted_memory_bytes", bytes_json(row.predicted_memory)},
            {"measured_memory_bytes", bytes_json(row.measured_memory)},
            {"refused", row.refusal.empty() ? Json(nullptr) : Json(row.refusal)},
            {"time_s", parts(row)}};
}

Json comparison_json(const validate::Comparison& comparison) {
    Json document{{"schema", "dodona/validate/1"},
                  {"groups", Json::array()},
                  {"overall", statistics_json(comparison.overall)},
                  {"rows", Json::array()}};
    for (const validate::Statistics& group : comparison.groups) {
        document["groups"].push_back(statistics_json(group));
    }
    for (const validate::RunResult& row : comparison.rows) {
        document["rows"].push_back(run_json(row));
    }
    return document;
}

}  // namespace dodona::reports
