#include "cli/observed.hpp"

#include <variant>

#include "cli/files.hpp"
#include "cli/note.hpp"
#include "files/logs/log_lines.hpp"
#include "files/logs/training_log.hpp"
#include "files/quantity.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::cli {

Option observed_option(const std::string& of) {
    return {"--observed", "TIME|LOG|RUNS.csv",
            "a measured step " + of +
                ",\nthe log with its steps, train.log, or a table of your own runs\n"
                "(docs/files.md): parameters of the framework are adjusted to it, and\n"
                "the answer with them",
            "Observed"};
}

questions::ObservedOptions read_observed(Arguments& arguments) {
    questions::ObservedOptions options;
    const auto typed = arguments.text("--observed");
    if (!typed) {
        return options;
    }
    if (files::is_log_name(*typed)) {
        const files::TrainingLog log = library().training_log(*typed, {});
        options.step = log.median;
        note("{}: {}, {} after {} of warm-up: median {}, 80 % from {} to {}{}", *typed, log.software,
             reports::counted(static_cast<std::int64_t>(log.steps), "step"), log.warm_up, reports::text(log.median),
             reports::text(log.low), reports::text(log.high),
             log.memory ? ", memory " + reports::text(*log.memory) : "");
        return options;
    }
    if (typed->ends_with(".csv") || typed->find('/') != std::string::npos) {
        options.table = *typed;
        return options;
    }
    const auto read = files::quantity_from<Dimensions{.second = 1}>(*typed);
    if (const auto* fault = std::get_if<files::NotAQuantity>(&read)) {
        arguments.fault("--observed", fault->message,
                        "a time with its unit, 12.3s, a log, train.log, or a table of runs, runs.csv");
        return options;
    }
    const Seconds time = std::get<Seconds>(read);
    if (time <= Seconds{}) {
        arguments.fault("--observed", as_typed(*typed) + " is not a time that a step can take", "for example 12.3s");
        return options;
    }
    options.step = time;
    return options;
}

}  // namespace dodona::cli
