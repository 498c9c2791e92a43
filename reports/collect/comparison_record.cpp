#include "reports/collect/comparison_record.hpp"

namespace dodona::reports {

namespace {

Record share_record(const validate::Share& share) { return {{"rows", share.rows}, {"mape", share.mape}}; }

Record statistics_record(const validate::Statistics& all) {
    return {{"group", all.group},
            {"rows", all.rows},
            {"skipped", all.skipped},
            {"mape", all.mape},
            {"median_ape", all.median_ape},
            {"bias", all.bias},
            {"p90", all.p90},
            {"coverage", all.coverage},
            {"pair_accuracy", all.pair_accuracy},
            {"top1_regret", all.top1_regret},
            {"memory_mape", all.memory_mape},
            {"compute_mape", all.compute_mape},
            {"communication_mape", all.communication_mape},
            {"fit",
             {{"ran_fits", all.fit.ran_fits},
              {"ran_not", all.fit.ran_not},
              {"oom_fits", all.fit.oom_fits},
              {"oom_not", all.fit.oom_not}}},
            {"stated", share_record(all.stated)},
            {"assumed", share_record(all.assumed)}};
}

/// Null of a run that was refused.
Record time_record(const validate::RunResult& row) {
    Record all = no_fields();
    for (std::size_t i = 0; i < step::kTimeParts; ++i) {
        all[step::name(static_cast<step::TimePart>(i))] = row.predicted ? Record(row.time.values[i]) : Record();
    }
    return all;
}

}  // namespace

Record run_record(const validate::RunResult& row) {
    const auto bound = [&](Seconds Estimate::*which) {
        return row.predicted ? Record((*row.predicted).*which) : Record();
    };
    return {{"id", row.id},
            {"group", row.group},
            {"predicted_s", bound(&Estimate::value)},
            {"lo_s", bound(&Estimate::lo)},
            {"hi_s", bound(&Estimate::hi)},
            {"measured_s", row.measured},
            {"error", row.error},
            {"fits", row.fits},
            {"ran", row.ran},
            {"assumed", row.assumed},
            {"predicted_memory_bytes", row.predicted_memory},
            {"measured_memory_bytes", row.measured_memory},
            {"refused", text_or_null(row.refusal)},
            {"time_s", time_record(row)}};
}

Record comparison_record(const validate::Comparison& comparison) {
    return {{"schema", "dodona/validate/1"},
            {"groups", list_of(comparison.groups, statistics_record)},
            {"overall", statistics_record(comparison.overall)},
            {"rows", list_of(comparison.rows, run_record)}};
}

}  // namespace dodona::reports
