#include "reports/collect/prediction_record.hpp"

#include "reports/collect/described_record.hpp"
#include "reports/collect/prediction_answer.hpp"

namespace dodona::reports {

Record plan_record(const step::Prediction& prediction, std::optional<std::int64_t> rank) {
    Record record = described_record(prediction);
    record["rank"] = rank;
    return record;
}

Record prediction_record(const step::Prediction& prediction) {
    return {{"schema", "dodona/predict/1"},
            {"plan", described_record(prediction)},
            {"epoch", prediction.epoch ? described_record(*prediction.epoch) : Record()}};
}

Record settings_record(const std::vector<std::pair<std::string, std::string>>& settings) {
    return list_of(settings, [](const auto& setting) { return described_record(setting); });
}

}  // namespace dodona::reports
