#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "base/ranges.hpp"
#include "graph/sample_tokens.hpp"
#include "questions/largest/largest.hpp"
#include "search/batches.hpp"

namespace dodona::questions::largest {

namespace {

constexpr std::int64_t kStepsOfGiven = 16;  ///< the default step is at most this part of the given value
constexpr std::int64_t kTimesGiven = 1024;  ///< how far is looked without `upto`
constexpr std::int64_t kMaxValue = 1'000'000'000;

/// The parameter's value in the model file or with --set; 1 after a fault.
std::int64_t value_given(const Job& job, const std::string& parameter, Faults& faults) {
    std::vector<std::string> names{std::string(kBatch)};
    for (const auto& [name, value] : job.parameters) {
        if (value) {
            names.push_back(name);
        }
    }
    const auto* found = found_in(job.parameters, [&](const auto& known) { return known.first == parameter; });
    if (found == nullptr) {
        faults.push_back(
            {"WHAT", fmt::format("{} has no parameter \"{}\"{}", job.model, parameter, did_you_mean(parameter, names)),
             "available: " + join(names)});
        return 1;
    }
    if (found->second.value_or(0) < 1) {
        faults.push_back({"WHAT", fmt::format("{} is not a whole number greater than 0 in {}", parameter, job.model),
                          "available: " + join(names)});
        return 1;
    }
    return *found->second;
}

/// The largest power of two that divides the value and is no more than a sixteenth of it; at least 1.
std::int64_t default_step(std::int64_t given) {
    const auto value = static_cast<std::uint64_t>(given);
    const std::uint64_t divides = value & (~value + 1);
    const std::uint64_t most = std::bit_floor(std::max<std::uint64_t>(1, value / kStepsOfGiven));
    return static_cast<std::int64_t>(std::min(divides, most));
}

std::string first_fault(const InputError& error) {
    return error.diagnostics().empty() ? error.what() : error.diagnostics().front().message;
}

/// The job with the parameter at that value; for `batch` the same network.
std::variant<search::JobAtValue, std::string> job_at(const Question& question, std::int64_t value) {
    const auto& [job, options, goals, given] = question;
    search::JobAtValue sized{.graph = {}, .space = job.space, .goals = goals};
    sized.space.devices = options.devices;
    if (options.parameter == kBatch) {
        sized.graph = job.graph;
        sized.space.batch = value;
        sized.space.accumulate = false;
        return sized;
    }
    try {
        sized.graph = job.with(options.parameter, value);
    } catch (const InputError& error) {
        return first_fault(error);
    }
    sized.space.batch =
        options.batch.value_or(search::default_batch(sized.graph, job.machine.cluster, options.devices));
    Faults faults;
    sized.goals = goals_of(options.goals, sized.graph, faults);
    return faults.empty() ? std::variant<search::JobAtValue, std::string>(sized) : faults.front().message;
}

}  // namespace

Asked<Question> question(Job job, Options options) {
    Faults faults = contradictions(options.goals);
    const bool batch = options.parameter == kBatch;
    if (batch && options.batch) {
        faults.push_back({"batch", "the batch is what is asked for", "leave it out, or ask for another parameter"});
    }
    if (options.convolutions && !batch) {
        faults.push_back({"convolutions", "it is of the largest batch", "dodona largest MODEL batch"});
    }
    std::vector<NamedMachine> machines = priced({std::move(job.machine)}, options.goals, faults);
    job.machine = std::move(machines.front());
    check_devices(job.machine.cluster, options.devices, faults);
    const search::Goals goals = goals_of(options.goals, job.graph, faults);
    const std::int64_t given = batch ? search::default_batch(job.graph, job.machine.cluster, options.devices)
                                     : value_given(job, options.parameter, faults);
    if (!faults.empty()) {
        return faults;
    }
    options.upto = options.upto.value_or(std::min(kMaxValue, given * kTimesGiven));
    options.step = options.step.value_or(batch ? options.devices : default_step(given));
    return Question{std::move(job), std::move(options), goals, given};
}

Answer ask(const Question& question, const search::Progress& progress) {
    const auto& [job, options, goals, given] = question;
    const search::LargestQuestion sought{.job = [&question](std::int64_t value) { return job_at(question, value); },
                                         .start = std::min(given, *options.upto),
                                         .step = std::min(*options.step, *options.upto),
                                         .most = *options.upto};
    const double tokens = graph::tokens_a_sample(job.graph);
    search::Largest found = search::largest(job.machine.cluster, sought, progress);
    std::optional<ConvolutionAnswer> convolutions;
    if (options.convolutions) {
        convolutions = convolution_choices(*options.convolutions, job.graph, job.machine.cluster, found);
        found = with_algorithms(std::move(found), *convolutions);
    }
    return {.inputs = {.model = job.model,
                       .model_source = job.graph.source,
                       .tokens_a_sample = tokens > 0 ? std::optional(tokens) : std::nullopt,
                       .goals = goals,
                       .settings = job.settings},
            .parameter = options.parameter,
            .given = given,
            .machine = job.machine.name,
            .machine_source = job.machine.cluster.source,
            .precision = job.space.precision,
            .devices = options.devices,
            .price = job.machine.cluster.price,
            .largest = std::move(found),
            .convolutions = std::move(convolutions)};
}

std::vector<Searched> searched(const Answer& answer) {
    return mapped<Searched>(answer.largest.attempts, [&](const search::Attempt& attempt) {
        return Searched{answer.parameter, &attempt == answer.largest.answer(), attempt, answer.price};
    });
}

}  // namespace dodona::questions::largest
