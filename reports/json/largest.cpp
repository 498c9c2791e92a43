#include "reports/json/largest.hpp"

namespace dodona::reports {

Json largest_json(const LargestReport& report) {
    const search::Largest& largest = report.largest;
    Json inputs = backward_inputs(report.question, report.price);
    inputs["parameter"] = report.parameter;
    inputs["given"] = report.given;
    inputs["machine"] = report.machine;
    inputs["machine_source"] = report.machine_source;
    inputs["precision"] = name(report.precision);
    inputs["gpus"] = report.devices;
    inputs["price"] = price_json(report.price);
    Json attempts = Json::array();
    for (const search::Attempt& attempt : largest.attempts) {
        attempts.push_back(attempt_json(attempt, report.price));
    }
    Json none = Json::array();
    for (const search::InvalidValue& value : largest.none) {
        none.push_back({{"value", value.value}, {"why_not", value.why_not}});
    }
    const search::Attempt* answer = largest.answer();
    return {{"schema", "dodona/largest/1"},
            {"inputs", inputs},
            {"value", answer != nullptr ? Json(answer->value) : Json(nullptr)},
            {"parameters", answer != nullptr ? number(largest.parameters) : Json(nullptr)},
            {"plan", answer != nullptr ? plan_json(*answer->plan, std::nullopt) : Json(nullptr)},
            {"attempts", attempts},
            {"no_network", none},
            {"step", largest.step},
            {"most", largest.most},
            {"complete", largest.complete}};
}

std::vector<Json> largest_rows(const LargestReport& report) {
    std::vector<Json> rows;
    for (const search::Attempt& attempt : report.largest.attempts) {
        Json row{{"parameter", report.parameter}, {"answer", &attempt == report.largest.answer()}};
        row.update(attempt_row(attempt, report.price));
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace dodona::reports
