#include <utility>

#include <fmt/format.h>

#include "questions/tables/tables.hpp"

namespace dodona::questions::tables {

Asked<Question> question(reports::Subject subject, dodona::tables::StepQuestion step) {
    Faults faults;
    if (step.cache + step.reserve >= 1) {
        faults.push_back({"cache", "with --reserve it leaves the tables no device memory", "less of either"});
    }
    if (dodona::tables::tables_of(step.graph).empty()) {
        faults.push_back({"MODEL", fmt::format("{} has no embedding tables", subject.model),
                          "one with embedding_bag layers, such as dlrm-bench"});
    }
    if (!faults.empty()) {
        return faults;
    }
    return Question{std::move(subject), std::move(step)};
}

Answer ask(const Question& question) {
    const auto& [subject, step] = question;
    Answer answer{.subject = subject,
                  .devices = step.devices,
                  .batch = step.batch,
                  .rate_given = step.row_rate.has_value(),
                  .prediction = dodona::tables::predict(step),
                  .fabrics = {}};
    if (step.fabrics && answer.fits()) {
        answer.fabrics =
            dodona::tables::other_fabrics(step, answer.prediction.placement, answer.prediction.dense_parameters);
    }
    return answer;
}

}  // namespace dodona::questions::tables
