#include "cli/network.hpp"

#include <array>
#include <string>

#include <fmt/format.h>

#include "base/decimal.hpp"
#include "base/diagnostic.hpp"
#include "cli/files.hpp"
#include "files/library.hpp"

namespace dodona::cli {

namespace {

const std::array<std::string, 2> kNetworks{"tabulated", "flows"};

/// "node0/link1=0.5".
void read_degraded(Arguments& arguments, const std::string& typed, std::vector<play::DegradedPart>& parts) {
    const std::size_t equals = typed.rfind('=');
    double factor = -1;
    if (equals != std::string::npos && equals > 0) {
        const char* end = typed.data() + typed.size();
        const auto read = decimal_at(typed.data() + equals + 1, end, factor);
        factor = read.ec == std::errc() && read.ptr == end ? factor : -1;
    }
    if (!(factor > 0 && factor <= 1)) {
        arguments.fault("--degrade",
                        fmt::format("{} is not PART=FACTOR with a factor from above 0 to 1", as_typed(typed)),
                        "for example node0/link1=0.5; --kill for links that are dead");
        return;
    }
    parts.emplace_back(typed.substr(0, equals), factor);
}

/// "gpt2=gpt2.yaml".
void read_beside(Arguments& arguments, const std::string& typed, std::vector<OtherJob>& jobs) {
    const std::size_t equals = typed.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == typed.size()) {
        arguments.fault("--beside", as_typed(typed) + " is not MODEL=PLAN",
                        "for example gpt2=plan.yaml, where `dodona plan gpt2 ... --save plan.yaml` wrote the plan");
        return;
    }
    jobs.push_back({typed.substr(0, equals), typed.substr(equals + 1)});
}

play::NetworkJob network_job(const OtherJob& job, const cluster::Cluster& cluster) {
    const graph::Graph graph = read_network(job.model);
    plan::Plan plan = library().plan(job.plan, {});
    plan.memory = memory_of(plan.framework);
    return {.name = job.model,
            .step = play::simulate_step(graph, cluster, plan),
            .communication = play::step_communication(graph, cluster, plan)};
}

}  // namespace

std::vector<Option> network_options() {
    return {{"--network", "tabulated|flows",
             "flows: sends between stages and exchanges of gradients and weights share\n"
             "the links of the machine (default: tabulated, each takes the time of its table)",
             "Simulation"},
            {"--degrade", "PART=FACTOR",
             "with flows: leave this share of the links at a part of the network, such as\n"
             "node0/link1=0.5 or rank3=0.9",
             "Simulation", kRepeats},
            {"--kill", "PART", "with flows: the links at this part are dead, and routes lead round them", "Simulation",
             kRepeats},
            {"--jobs", "N", "with flows: N jobs like this one at the same time, whose nodes take turns", "Simulation"},
            {"--beside", "MODEL=PLAN",
             "with flows: another job at the same time, by a plan file as `dodona plan --save`\n"
             "writes it; repeat for several",
             "Simulation", kRepeats}};
}

Network read_network(Arguments& arguments) {
    Network network{.flows = arguments.word("--network", kNetworks).value_or("tabulated") == "flows"};
    for (const std::string& typed : arguments.all("--degrade")) {
        read_degraded(arguments, typed, network.conditions.degraded);
    }
    for (const std::string& part : arguments.all("--kill")) {
        network.conditions.degraded.emplace_back(part, 0);
    }
    network.jobs = arguments.count("--jobs").value_or(1);
    for (const std::string& typed : arguments.all("--beside")) {
        read_beside(arguments, typed, network.beside);
    }
    for (const char* option : {"--degrade", "--kill", "--jobs", "--beside"}) {
        if (arguments.has(option) && !network.flows) {
            arguments.fault(option, "tabulated transfers have no links", "--network flows");
        }
    }
    return network;
}

void play_on_network(const Network& network, const AskedPlan& asked, play::SimulatedStep& step) {
    const Workload& workload = asked.workload;
    const play::StepCommunication communication =
        play::step_communication(workload.graph, workload.cluster, asked.plan);
    play::NetworkConditions conditions = network.conditions;
    const std::int64_t most = workload.cluster.devices() / communication.ranks;
    if (network.jobs > most) {
        fail({},
             fmt::format("{} jobs of {} ranks are more than the {} devices of {}", network.jobs, communication.ranks,
                         workload.cluster.devices(), workload.cluster.name),
             fmt::format("at most {} jobs", most));
    }
    for (std::int64_t job = 1; job < network.jobs; ++job) {
        conditions.beside.push_back({.name = workload.model, .step = step, .communication = communication});
    }
    for (const OtherJob& job : network.beside) {
        conditions.beside.push_back(network_job(job, workload.cluster));
    }
    play::play_flows(step, communication, workload.cluster, conditions);
}

}  // namespace dodona::cli
