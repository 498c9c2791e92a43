#include <utility>

#include "base/ranges.hpp"
#include "questions/trace/trace.hpp"

namespace dodona::questions::trace {

namespace {

using traces::DeviceWork;

/// Whether all compute has a kind; otherwise kinds cannot be compared and are one part.
bool has_kinds(const Question& question) {
    return question.trace[DeviceWork::unnamed].exposed == Seconds{} &&
           question.prediction.busy[index(DeviceWork::unnamed)] == Seconds{};
}

void add_kinds(Answer& answer) {
    for (const auto& row : traces::kDeviceWorkTable) {
        const traces::WorkUse& use = answer.question.trace[row.value];
        const Seconds predicted = answer.question.prediction.busy[index(row.value)];
        if (traces::is_compute(row.value) && (use.exposed > Seconds{} || predicted > Seconds{})) {
            answer.parts.push_back(
                {std::string(row.name), std::string(row.meaning), use.exposed, predicted, use.longest});
        }
    }
}

void add_one_compute(Answer& answer) {
    TracedPart part{.name = "compute", .meaning = "compute", .traced = {}, .predicted = {}};
    TracedPart update{.name = "optimizer",
                      .meaning = std::string(enumerator_of(DeviceWork::optimizer).meaning),
                      .traced = answer.question.trace[DeviceWork::optimizer].exposed,
                      .predicted = answer.question.prediction.busy[index(DeviceWork::optimizer)]};
    for (const auto& row : traces::kDeviceWorkTable) {
        if (traces::is_compute(row.value) && row.value != DeviceWork::optimizer) {
            part.traced += answer.question.trace[row.value].exposed;
            part.predicted += answer.question.prediction.busy[index(row.value)];
        }
    }
    answer.parts.push_back(std::move(part));
    answer.parts.push_back(std::move(update));
}

/// Waiting is in the kernels of collectives, or else the device is idle.
void add_others(Answer& answer) {
    const traces::StepProfile& trace = answer.question.trace;
    const reports::PredictedStep& prediction = answer.question.prediction;
    const bool waits = trace.collectives_wait;
    const std::string waiting = waits ? ", waiting included" : "";
    answer.parts.push_back({"communication", "exposed communication" + waiting, trace.exposed_communication(),
                            prediction.communication + (waits ? prediction.waiting : Seconds{})});
    const Seconds copies = trace[DeviceWork::copies].exposed;
    if (copies > Seconds{} || prediction.copies > Seconds{}) {
        answer.parts.push_back({"copies", "exposed copies to and from the host", copies, prediction.copies});
    }
    answer.parts.push_back({"idle", waits ? "idle" : "idle or waiting", trace.idle,
                            prediction.idle + (waits ? Seconds{} : prediction.waiting)});
}

void add_collectives(Answer& answer) {
    const auto& [trace_name, prediction_name, trace, prediction] = answer.question;
    for (const auto& row : traces::kDeviceWorkTable) {
        const traces::WorkUse& use = trace[row.value];
        const double calls = prediction.calls[index(row.value)];
        if (traces::is_communication(row.value) && (use.calls > 0 || calls > 0)) {
            answer.collectives.push_back({row.value, use, calls, prediction.busy[index(row.value)]});
        }
    }
}

Seconds size(Seconds time) { return max(time, -time); }

}  // namespace

bool Answer::any_off() const { return size(parts[most_off].longer()) > kNoticed * question.trace.step; }

Answer ask(Question question) {
    Answer answer{.question = std::move(question), .parts = {}, .collectives = {}};
    if (has_kinds(answer.question)) {
        add_kinds(answer);
    } else {
        add_one_compute(answer);
    }
    add_others(answer);
    add_collectives(answer);
    const auto most = max_element(
        answer.parts, [](const TracedPart& a, const TracedPart& b) { return size(a.longer()) < size(b.longer()); });
    answer.most_off = static_cast<std::size_t>(most - answer.parts.begin());
    return answer;
}

}  // namespace dodona::questions::trace
