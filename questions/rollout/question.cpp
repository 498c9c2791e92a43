#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "files/measured_shares.hpp"
#include "files/model_reference.hpp"
#include "generation/answer_lengths.hpp"
#include "graph/sample_tokens.hpp"
#include "questions/rollout/rollout.hpp"

namespace dodona::questions::rollout {

namespace {

/// The longest answer over the mean; no distribution of 512 values has more.
constexpr std::int64_t kMaxSpread = 256;

/// The policy alone, with samples of so many tokens.
graph::Graph policy(const Workload& workload, double tokens) {
    Parameters parameters = workload.parameters;
    const std::array<std::pair<std::string, std::string>, 3> own{
        {{"sequence", fmt::format("{:.0f}", std::ceil(tokens))}, {"reference", "false"}, {"old_policy", "false"}}};
    std::erase_if(parameters, [&](const auto& given) {
        return std::any_of(own.begin(), own.end(), [&](const auto& one) { return one.first == given.first; });
    });
    parameters.insert(parameters.end(), own.begin(), own.end());
    return network_with(workload, parameters);
}

lengths::Distribution lengths_of(const Job& job) {
    return job.lengths.empty() ? generation::answer_lengths(static_cast<double>(job.options.tokens),
                                                            static_cast<double>(job.options.longest))
                               : files::load_lengths(job.lengths, static_cast<double>(kMaxTokens));
}

bool generates(const std::string& model) {
    const auto tasks = files::model_reference(model, {}).tasks;
    return std::find(tasks.begin(), tasks.end(), graph::Task::grpo) != tasks.end();
}

void check_lengths(const Options& options, const std::string& file, Faults& faults) {
    const std::int64_t longest = options.longest == 0 ? options.tokens : options.longest;
    if (!file.empty()) {
        if (options.tokens > 0 || options.longest > 0) {
            faults.push_back(
                {"lengths", "--rollout says how long answers are already", "leave out tokens and longest"});
        }
    } else if (options.tokens == 0) {
        faults.push_back({"rollout", "tokens is missing", "of an answer, on average: tokens=4096; or --lengths FILE"});
    } else if (options.tokens > longest) {
        faults.push_back(
            {"rollout",
             fmt::format("answers of {} tokens on average are longer than the longest, {}", options.tokens, longest),
             {}});
    } else if (longest / kMaxSpread > options.tokens) {
        faults.push_back({"rollout",
                          fmt::format("the longest answer, {}, is more than {} times the mean, {}", longest, kMaxSpread,
                                      options.tokens),
                          "give the lengths themselves: --lengths FILE"});
    }
}

void check_batch(const Job& job, Faults& faults) {
    const std::int64_t all = job.options.prompts * job.options.samples;
    const std::int64_t batch = job.batch.value_or(all);
    if (batch > 0 && all % batch != 0) {
        faults.push_back({"batch",
                          fmt::format("updates of {} samples are no whole part of {} x {}", batch, job.options.prompts,
                                      job.options.samples),
                          {}});
    }
}

}  // namespace

Faults contradictions(const Job& job) {
    const auto& [workload, options, gpus, batch, lengths] = job;
    Faults faults;
    if (options.prompts == 0) {
        faults.push_back({"rollout", "prompts is missing", "prompts of a step: prompts=512"});
    }
    if (options.samples == 0) {
        faults.push_back({"rollout", "samples is missing", "answers to each prompt: samples=8"});
    }
    check_lengths(options, lengths, faults);
    if (options.gpus >= gpus) {
        faults.push_back({"rollout", fmt::format("gpus={} leaves none of {} to train", options.gpus, gpus), {}});
    }
    const std::int64_t generating = options.gpus > 0 ? options.gpus : gpus;
    if (options.tensor > 0 &&
        (std::popcount(static_cast<std::uint64_t>(options.tensor)) != 1 || options.tensor > generating)) {
        faults.push_back(
            {"rollout", fmt::format("tensor={} is not a power of two of {} GPUs", options.tensor, generating), {}});
    }
    if (!generates(workload.subject.model)) {
        faults.push_back(
            {"rollout", workload.subject.model + " is trained on samples that are there", "add --task grpo"});
    }
    if (!workload.cluster.mixed.empty()) {
        faults.push_back({"machine", workload.cluster.name + " has devices of several kinds", "one of equal devices"});
    }
    check_devices(workload.cluster, gpus, faults);
    check_batch(job, faults);
    return faults;
}

Options completed(Options options) {
    const auto given_or = [](std::int64_t given, std::int64_t fallback) { return given == 0 ? fallback : given; };
    options.longest = given_or(options.longest, options.tokens);
    options.prompt = given_or(options.prompt, kPromptTokens);
    options.sequences = given_or(options.sequences, kSequences);
    options.memory = given_or(options.memory, kMemoryPercent);
    return options;
}

Workload training_of(const Job& job) {
    Workload training = job.workload;
    training.graph = policy(job.workload, static_cast<double>(job.options.prompt) + lengths_of(job).most());
    return training;
}

Question question(const Job& job, search::Space space) {
    const auto& [workload, options, gpus, batch, file] = job;
    lengths::Distribution lengths = lengths_of(job);
    const auto prompt = static_cast<double>(options.prompt);
    const double longest = prompt + lengths.most();
    const graph::Counts of_step = graph::count(workload.graph);
    const graph::Counts of_policy = graph::count(policy(workload, graph::tokens_a_sample(workload.graph)));
    const double forward = of_step.forward_per_sample / of_policy.forward_per_sample;
    graph::Graph policy_of_longest = policy(workload, longest);
    graph::Graph policy_of_mean = policy(workload, prompt + lengths.mean());
    generation::EngineNetworks engine{.token = policy(workload, 1),
                                      .prompt = policy(workload, prompt),
                                      .longest = policy_of_longest,
                                      .prompt_tokens = prompt,
                                      .longest_tokens = longest};
    space.devices = gpus;
    return {.subject = workload.subject,
            .longest = std::move(policy_of_longest),
            .mean = std::move(policy_of_mean),
            .engine = std::move(engine),
            .engine_strategy = workload.files.strategy("megatron"),
            .cluster = workload.cluster,
            .space = std::move(space),
            .options = options,
            .lengths = std::move(lengths),
            .batch = batch.value_or(options.prompts * options.samples),
            .passes = static_cast<std::int64_t>(std::llround(forward)) - 1,
            .reference = of_step.parameters > 1.5 * of_policy.parameters};
}

}  // namespace dodona::questions::rollout
