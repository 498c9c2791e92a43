#include "reports/collect/largest_record.hpp"

#include "reports/collect/prediction_record.hpp"
#include "reports/collect/sizing_record.hpp"

namespace dodona::reports {

Record largest_record(const LargestAnswer& answer) {
    const search::Largest& largest = answer.largest;
    Record inputs = sizing_inputs(answer.question, answer.price);
    inputs["parameter"] = answer.parameter;
    inputs["given"] = answer.given;
    inputs["machine"] = answer.machine;
    inputs["machine_source"] = answer.machine_source;
    inputs["precision"] = name(answer.precision);
    inputs["gpus"] = answer.devices;
    inputs["price"] = price_record(answer.price);
    const search::Attempt* found = largest.answer();
    return {{"schema", "dodona/largest/1"},
            {"inputs", inputs},
            {"value", found != nullptr ? Record(found->value) : Record()},
            {"parameters", found != nullptr ? Record(largest.parameters) : Record()},
            {"plan", found != nullptr ? plan_record(*found->plan, std::nullopt) : Record()},
            {"attempts",
             list_of(largest.attempts, [&](const auto& attempt) { return attempt_record(attempt, answer.price); })},
            {"no_network", list_of(largest.none,
                                   [](const search::InvalidValue& value) -> Record {
                                       return {{"value", value.value}, {"why_not", value.why_not}};
                                   })},
            {"step", largest.step},
            {"most", largest.most},
            {"complete", largest.complete}};
}

std::vector<Record> largest_rows(const LargestAnswer& answer) {
    std::vector<Record> rows;
    for (const search::Attempt& attempt : answer.largest.attempts) {
        Record row{{"parameter", answer.parameter}, {"answer", &attempt == answer.largest.answer()}};
        row.append(attempt_row(attempt, answer.price));
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace dodona::reports
