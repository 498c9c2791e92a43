#include "reports/collect/predicted_step.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string_view>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "base/ranges.hpp"
#include "cost/error_source.hpp"
#include "step/prediction.hpp"

namespace dodona::reports {

namespace {

using cost::ErrorSource;
using step::TimePart;
using traces::DeviceWork;

struct KindOfSource {
    ErrorSource source;
    DeviceWork work;
};
constexpr std::array kKindsOfSources{
    KindOfSource{ErrorSource::matmul, DeviceWork::matmul},
    KindOfSource{ErrorSource::convolution, DeviceWork::convolution},
    KindOfSource{ErrorSource::attention, DeviceWork::attention},
    KindOfSource{ErrorSource::recurrent, DeviceWork::recurrent},
    KindOfSource{ErrorSource::recurrent_overhead, DeviceWork::recurrent},
    KindOfSource{ErrorSource::stream, DeviceWork::passes},
    KindOfSource{ErrorSource::gather, DeviceWork::passes},
};

constexpr std::string_view kPredictionHelp = "a prediction is written by `dodona predict ... --json -o FILE`";

/// Reads members of a record that a user brought.
class PredictionReader {
public:
    PredictionReader(const Record& prediction, const std::string& name)
        : whole_{.source = std::make_shared<Source>(Source{name, {}})} {
        const Record* schema = found(prediction, "schema");
        if (schema == nullptr || *schema != Record("dodona/predict/1")) {
            fail(whole_, "this is no prediction", std::string(kPredictionHelp));
        }
        plan_ = &member(prediction, "plan");
        if (member(*plan_, "step_time_s").is_null()) {
            fail(whole_, "the prediction has no step: its plan cannot run", "predict a plan that runs");
        }
    }

    PredictedStep step() const {
        PredictedStep step{.plan = plan_name(), .step = step_time()};
        const Record& exposed = member(*plan_, "time_s");
        for (const TimePart part :
             {TimePart::layer, TimePart::halo, TimePart::pipeline, TimePart::gradients, TimePart::parameters}) {
            step.communication += time(exposed, part);
        }
        step.waiting = time(exposed, TimePart::bubble) + share(ErrorSource::stragglers) * step.step.value;
        step.copies = time(exposed, TimePart::offload);
        step.idle =
            time(exposed, TimePart::input) + time(exposed, TimePart::host) + share(ErrorSource::step) * step.step.value;
        add_compute(step);
        add_communication(step);
        return step;
    }

private:
    static const Record* found(const Record& record, std::string_view key) {
        const auto* fields = std::get_if<Record::Fields>(&record.of());
        if (fields == nullptr) {
            return nullptr;
        }
        const auto at =
            std::find_if(fields->begin(), fields->end(), [&](const Record::Field& field) { return field.key == key; });
        return at == fields->end() ? nullptr : &at->value;
    }

    const Record& member(const Record& record, std::string_view key) const {
        const Record* value = found(record, key);
        if (value == nullptr) {
            fail(whole_, fmt::format("the prediction has no {}", key), std::string(kPredictionHelp));
        }
        return *value;
    }

    double number(const Record& record, std::string_view key) const {
        const Record& value = member(record, key);
        if (const auto* whole = std::get_if<std::int64_t>(&value.of())) {
            return static_cast<double>(*whole);
        }
        const auto* decimal = std::get_if<double>(&value.of());
        if (decimal == nullptr) {
            fail(whole_, fmt::format("{} of the prediction is no number", key), std::string(kPredictionHelp));
        }
        constexpr double kMax = 1e30;
        if (!(std::abs(*decimal) <= kMax)) {
            fail(whole_, fmt::format("{} of the prediction is beyond {}", key, kMax), std::string(kPredictionHelp));
        }
        return *decimal;
    }

    std::string text(const Record& record, std::string_view key) const {
        const auto* value = std::get_if<std::string>(&member(record, key).of());
        if (value == nullptr) {
            fail(whole_, fmt::format("{} of the prediction is no text", key), std::string(kPredictionHelp));
        }
        return *value;
    }

    const Record::List& list(const Record& record, std::string_view key) const {
        const auto* value = std::get_if<Record::List>(&member(record, key).of());
        if (value == nullptr) {
            fail(whole_, fmt::format("{} of the prediction is no list", key), std::string(kPredictionHelp));
        }
        return *value;
    }

    Seconds time(const Record& times, TimePart part) const { return number(times, step::name(part)) * unit::second; }

    std::string plan_name() const {
        std::string axes;
        if (const auto* mesh = std::get_if<Record::Fields>(&member(*plan_, "mesh").of())) {
            for (const Record::Field& axis : *mesh) {
                axes += fmt::format("{}{} {:.0f}", axes.empty() ? " on " : ", ", axis.key,
                                    number(member(*plan_, "mesh"), axis.key));
            }
        }
        return text(*plan_, "strategy") + axes;
    }

    Estimate step_time() const {
        const Record& times = member(*plan_, "step_time_s");
        const Estimate step{number(times, "value") * unit::second, number(times, "lo") * unit::second,
                            number(times, "hi") * unit::second};
        if (!(step.value > Seconds{})) {
            fail(whole_, "the step of the prediction takes no time", std::string(kPredictionHelp));
        }
        return step;
    }

    /// How much of the step follows a source of error.
    double share(ErrorSource source) const {
        const std::string_view word = cost::kErrorSources[static_cast<std::size_t>(source)].word;
        for (const Record& one : list(member(*plan_, "uncertainty"), "sources")) {
            if (text(one, "source") == word) {
                return std::max(0.0, number(one, "share"));
            }
        }
        return 0;
    }

    void add_compute(PredictedStep& step) const {
        const Record& busy = member(*plan_, "busy_s");
        const Seconds kernels =
            time(busy, TimePart::forward) + time(busy, TimePart::backward) + time(busy, TimePart::recompute);
        const Seconds slowed = kernels + share(ErrorSource::interference) * step.step.value;
        const auto all = sum_of<double>(kKindsOfSources, [&](const KindOfSource& kind) { return share(kind.source); });
        for (const KindOfSource& kind : kKindsOfSources) {
            step.busy[index(kind.work)] += all > 0 ? share(kind.source) / all * slowed : Seconds{};
        }
        step.busy[index(DeviceWork::unnamed)] = all > 0 ? Seconds{} : slowed;
        step.busy[index(DeviceWork::optimizer)] = time(busy, TimePart::optimizer);
    }

    void add_communication(PredictedStep& step) const {
        for (const Record& line : list(*plan_, "communication")) {
            const std::string collective = text(line, "collective");
            const auto work = value_of<DeviceWork>(collective);
            const std::size_t at = index(work && traces::is_communication(*work) ? *work : DeviceWork::send);
            step.busy[at] += number(line, "time_s") * unit::second;
            step.calls[at] += number(line, "per_step");
        }
    }

    Location whole_;
    const Record* plan_ = nullptr;
};

}  // namespace

PredictedStep predicted_step(const Record& prediction, const std::string& name) {
    return PredictionReader(prediction, name).step();
}

}  // namespace dodona::reports
