#include "reports/collect/prediction_record.hpp"

#include "reports/collect/described_record.hpp"
#include "reports/collect/prediction_answer.hpp"

namespace dodona::reports {

Record prediction_record(const step::Prediction& prediction) {
    return {{"schema", "dodona/predict/1"},
            {"plan", described_record(prediction)},
            {"epoch", prediction.epoch ? described_record(*prediction.epoch) : Record()}};
}

}  // namespace dodona::reports
