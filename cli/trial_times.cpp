#include "cli/trial_times.hpp"

#include <memory>

#include <fmt/format.h>

#include "cli/files.hpp"
#include "cli/software.hpp"
#include "cli/workload.hpp"
#include "questions/trials/trials.hpp"
#include "step/predict.hpp"

namespace dodona::cli {

namespace {

using questions::trials::StepOfTrial;

/// The study's network on its machine.
Workload workload_of(Arguments& arguments, const trials::Study& study, const std::string& machine) {
    Workload workload{.files = library().remembering()};
    workload.subject.model = taken_as(arguments, files::NameOf::model, study.model);
    workload.subject.machine = machine;
    workload.cluster = read_machine(machine);
    return workload;
}

Estimate predicted(Arguments& arguments, Workload& workload, const StepOfTrial& one, const std::string& trial) {
    const auto& [parameters, batch, gpus] = one;
    if (batch % gpus != 0) {
        fail({}, fmt::format("a batch of {} cannot be shared by {} GPUs: {}", batch, gpus, trial),
             "another --gpus-per-trial, or batches that it divides");
    }
    workload.graph = read_network(workload.subject.model, parameters);
    plan::Plan plan;
    plan.precision = precision_of(arguments, workload.cluster);
    plan.optimizer = optimizer_of(arguments, workload.graph);
    plan.overlap = overlap_of(arguments);
    arguments.throw_if_faults();
    plan.strategy = read_strategy("data");
    plan.framework = framework_of(arguments, workload, plan);
    plan.memory = questions::memory_of(plan.framework, workload.files);
    plan.mesh = {{"data", gpus}};
    plan.batch = batch;
    plan.microbatch = batch / gpus;
    const step::Prediction prediction = step::predict(workload.graph, workload.cluster, plan);
    if (prediction.why_not) {
        fail({},
             fmt::format("{} does not run on {}: {}", trial, questions::trials::units_text({0, gpus}),
                         text(*prediction.why_not)),
             "a smaller batch, or another --gpus-per-trial");
    }
    return prediction.step;
}

}  // namespace

questions::trials::StepTime step_time(Arguments& arguments, const trials::Study& study, const std::string& machine) {
    return [&arguments, &study, machine, workload = std::shared_ptr<Workload>()](const StepOfTrial& one,
                                                                                 const std::string& trial) mutable {
        if (workload == nullptr) {
            workload = std::make_shared<Workload>(workload_of(arguments, study, machine));
        }
        return predicted(arguments, *workload, one, trial);
    };
}

}  // namespace dodona::cli
