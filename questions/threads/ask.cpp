#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/precision.hpp"
#include "questions/threads/threads.hpp"

namespace dodona::questions::threads {

namespace {

/// All settings that were measured are in the grid.
std::int64_t most_tried(const Options& options) {
    std::int64_t most = options.most.value_or(1);
    for (const dodona::threads::MeasuredSetting& one : options.measured) {
        most = std::max({most, one.setting.workers, one.setting.threads});
    }
    return most;
}

}  // namespace

Asked<Question> question(reports::Subject subject, const graph::Graph& network, const cluster::Device& device,
                         const Options& options) {
    const std::int64_t all = device.multiprocessors;
    Faults faults;
    if (!dodona::threads::is_cpu(device)) {
        faults.push_back({"machine", fmt::format("{} is no CPU", device.name),
                          "a machine of CPUs, such as theta, or one measured with calibrate --backend cpu"});
    }
    if (options.cores && *options.cores > all) {
        faults.push_back({"cores", fmt::format("{} are more than {} has", *options.cores, device.name),
                          fmt::format("at most {}", all)});
    }
    if (!faults.empty()) {
        return faults;
    }
    const std::int64_t cores = options.cores.value_or(all);
    Question asked{.subject = std::move(subject),
                   .device = device,
                   .batch = options.batch,
                   .weights = graph::count(network).parameters * stored_bytes(options.precision),
                   .costs = dodona::threads::thread_costs(device, cores, options.known),
                   .known = options.known,
                   .operators = {},
                   .works = {},
                   .most = most_tried(options),
                   .whole_grid = options.most || !options.measured_with.empty(),
                   .measured = options.measured,
                   .measured_with = options.measured_with};
    if (asked.weights <= device.memory) {
        asked.operators = dodona::threads::operator_graph(network, static_cast<double>(options.batch));
        asked.works = dodona::threads::works_of(device, asked.operators, options.precision, cores);
    }
    return asked;
}

Answer ask(Question question) {
    Answer answer{std::move(question), std::nullopt};
    const Question& asked = answer.question;
    if (asked.weights <= asked.device.memory) {
        answer.prediction = dodona::threads::predict(asked.operators, asked.works, asked.costs, asked.most);
    }
    return answer;
}

}  // namespace dodona::questions::threads
