#include "cli/rollout.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "cli/exit_code.hpp"
#include "cli/interrupt.hpp"
#include "cli/job_space.hpp"
#include "cli/note.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "files/measured_shares.hpp"
#include "files/model_reference.hpp"
#include "generation/answer_lengths.hpp"
#include "questions/rollout/rollout.hpp"

namespace dodona::cli {

namespace {

using RolloutOptions = questions::rollout::Options;
using RolloutQuestion = questions::rollout::Question;

constexpr const char* kRollout = "--rollout";
constexpr std::int64_t kMaxSamples = 1'000'000;
constexpr std::int64_t kMaxTokens = 100'000'000;
constexpr std::int64_t kMaxGpus = 1'000'000'000;
/// The longest answer over the mean; no distribution of 512 values has more.
constexpr std::int64_t kMaxSpread = 256;

struct RolloutWord {
    std::string_view name;
    std::int64_t RolloutOptions::*member;
    std::int64_t most;
};
constexpr std::array kRolloutWords{RolloutWord{"prompts", &RolloutOptions::prompts, kMaxSamples},
                                   RolloutWord{"samples", &RolloutOptions::samples, kMaxSamples},
                                   RolloutWord{"tokens", &RolloutOptions::tokens, kMaxTokens},
                                   RolloutWord{"longest", &RolloutOptions::longest, kMaxTokens},
                                   RolloutWord{"prompt", &RolloutOptions::prompt, kMaxTokens},
                                   RolloutWord{"gpus", &RolloutOptions::gpus, kMaxGpus},
                                   RolloutWord{"tensor", &RolloutOptions::tensor, kMaxGpus},
                                   RolloutWord{"sequences", &RolloutOptions::sequences, kMaxSamples},
                                   RolloutWord{"memory", &RolloutOptions::memory, 100}};

std::string_view name_in(std::string_view word) { return word.substr(0, word.find('=')); }

/// Options of `plan` that are of one plan, or of its search for one number of GPUs.
constexpr std::array kOfOnePlan{"--export",        "--explain", "--simulate", "--why-not", "--exchange", "--observed",
                                "--observed-plan", "--save",    "--packing",  "--buckets", "--top"};

RolloutOptions read_words(Arguments& arguments) {
    RolloutOptions options;
    std::vector<std::string> names;
    for (const RolloutWord& word : kRolloutWords) {
        names.emplace_back(word.name);
    }
    for (const std::string& typed : arguments.list(kRollout)) {
        const std::string name(name_in(typed));
        const auto known = std::find_if(kRolloutWords.begin(), kRolloutWords.end(),
                                        [&](const RolloutWord& word) { return word.name == name; });
        if (known == kRolloutWords.end()) {
            arguments.fault(kRollout, as_typed(name) + " is not known" + did_you_mean(name, names),
                            "known: " + join(names));
        } else if (name.size() == typed.size()) {
            arguments.fault(kRollout, as_typed(typed) + " has no number", fmt::format("{}=8", name));
        } else if (options.*(known->member) != 0) {
            arguments.fault(kRollout, fmt::format("{} is given twice", name));
        } else {
            options.*(known->member) =
                arguments.count_from(kRollout, typed.substr(name.size() + 1), known->most).value_or(1);
        }
    }
    return options;
}

/// Faults of what has to be typed, and defaults of the rest.
void complete(Arguments& arguments, std::int64_t gpus, RolloutOptions& options) {
    const auto required = [&](std::int64_t given, const char* name, const char* example) {
        if (given == 0) {
            arguments.fault(kRollout, fmt::format("{} is missing", name), example);
        }
    };
    required(options.prompts, "prompts", "prompts of a step: prompts=512");
    required(options.samples, "samples", "answers to each prompt: samples=8");
    if (!arguments.has("--lengths")) {
        required(options.tokens, "tokens", "of an answer, on average: tokens=4096; or --lengths FILE");
        options.longest = options.longest == 0 ? options.tokens : options.longest;
        if (options.tokens > options.longest) {
            arguments.fault(kRollout, fmt::format("answers of {} tokens on average are longer than the longest, {}",
                                                  options.tokens, options.longest));
        } else if (options.longest / kMaxSpread > options.tokens) {
            arguments.fault(kRollout,
                            fmt::format("the longest answer, {}, is more than {} times the mean, {}", options.longest,
                                        kMaxSpread, options.tokens),
                            "give the lengths themselves: --lengths FILE");
        }
    } else if (options.tokens > 0 || options.longest > 0) {
        arguments.fault("--lengths", "--rollout says how long answers are already", "leave out tokens and longest");
    }
    if (options.gpus >= gpus) {
        arguments.fault(kRollout, fmt::format("gpus={} leaves none of {} to train", options.gpus, gpus));
    }
    const std::int64_t generating = options.gpus > 0 ? options.gpus : gpus;
    if (options.tensor > 0 &&
        (std::popcount(static_cast<std::uint64_t>(options.tensor)) != 1 || options.tensor > generating)) {
        arguments.fault(kRollout,
                        fmt::format("tensor={} is not a power of two of {} GPUs", options.tensor, generating));
    }
    const auto given_or = [](std::int64_t given, std::int64_t fallback) { return given == 0 ? fallback : given; };
    options.prompt = given_or(options.prompt, questions::rollout::kPromptTokens);
    options.sequences = given_or(options.sequences, questions::rollout::kSequences);
    options.memory = given_or(options.memory, questions::rollout::kMemoryPercent);
}

/// The policy alone, with samples of so many tokens.
graph::Graph policy(const Workload& workload, double tokens) {
    auto parameters = workload.parameters;
    const std::array<std::pair<std::string, std::string>, 3> own{
        {{"sequence", fmt::format("{:.0f}", std::ceil(tokens))}, {"reference", "false"}, {"old_policy", "false"}}};
    std::erase_if(parameters, [&](const auto& given) {
        return std::any_of(own.begin(), own.end(), [&](const auto& one) { return one.first == given.first; });
    });
    parameters.insert(parameters.end(), own.begin(), own.end());
    return network_with(workload, parameters);
}

lengths::Distribution lengths_of(Arguments& arguments, const RolloutOptions& options) {
    const auto file = arguments.text("--lengths");
    return file ? files::load_lengths(*file, static_cast<double>(kMaxTokens))
                : generation::answer_lengths(static_cast<double>(options.tokens), static_cast<double>(options.longest));
}

bool generates(const std::string& model) {
    const auto tasks = files::model_reference(model, {}).tasks;
    return std::find(tasks.begin(), tasks.end(), graph::Task::grpo) != tasks.end();
}

void check_job(Arguments& arguments, const Workload& workload, const RolloutOptions& options, std::int64_t gpus) {
    if (!generates(workload.subject.model)) {
        arguments.fault(kRollout, workload.subject.model + " is trained on samples that are there", "add --task grpo");
    }
    if (!workload.cluster.mixed.empty()) {
        arguments.fault("--machine", workload.cluster.name + " has devices of several kinds", "one of equal devices");
    }
    for (const char* option : kOfOnePlan) {
        if (arguments.has(option)) {
            arguments.fault(option, "it is of one plan, and --rollout divides GPUs among several",
                            "leave it out, and ask for the plan of the training with its --gpus");
        }
    }
    check_devices(arguments, workload.cluster, gpus);
    const std::int64_t all = options.prompts * options.samples;
    const std::int64_t batch = arguments.count("--batch").value_or(all);
    if (batch > 0 && all % batch != 0) {
        arguments.fault("--batch", fmt::format("updates of {} samples are no whole part of {} x {}", batch,
                                               options.prompts, options.samples));
    }
}

RolloutQuestion question_of(Arguments& arguments, Workload workload, RolloutOptions options, std::int64_t gpus) {
    lengths::Distribution lengths = lengths_of(arguments, options);
    const auto prompt = static_cast<double>(options.prompt);
    const double longest = prompt + lengths.most();
    const graph::Counts of_step = graph::count(workload.graph);
    const graph::Counts of_policy = graph::count(policy(workload, tokens_a_sample(workload.graph)));
    const double forward = of_step.forward_per_sample / of_policy.forward_per_sample;
    graph::Graph policy_of_longest = policy(workload, longest);
    graph::Graph policy_of_mean = policy(workload, prompt + lengths.mean());
    generation::EngineNetworks engine{.token = policy(workload, 1),
                                      .prompt = policy(workload, prompt),
                                      .longest = policy_of_longest,
                                      .prompt_tokens = prompt,
                                      .longest_tokens = longest};
    workload.graph = policy_of_longest;
    search::Space space = job_space(arguments, workload);
    arguments.throw_if_faults();
    space.devices = gpus;
    return {.subject = workload.subject,
            .longest = std::move(policy_of_longest),
            .mean = std::move(policy_of_mean),
            .engine = std::move(engine),
            .engine_strategy = read_strategy("megatron"),
            .cluster = std::move(workload.cluster),
            .space = std::move(space),
            .options = options,
            .lengths = std::move(lengths),
            .batch = arguments.count("--batch").value_or(options.prompts * options.samples),
            .passes = static_cast<std::int64_t>(std::llround(forward)) - 1,
            .reference = of_step.parameters > 1.5 * of_policy.parameters};
}

questions::rollout::Answer with_progress(RolloutQuestion question) {
    listen_for_interrupt();
    ProgressLine line("divisions");
    auto answer = questions::rollout::ask(std::move(question), [&](std::int64_t seen, std::int64_t all) {
        line.show(seen, all);
        return !interrupted();
    });
    line.clear();
    if (interrupted()) {
        note("stopped; further divisions were not looked at");
    }
    return answer;
}

}  // namespace

Option rollout_option() {
    return {kRollout, "prompts=P,samples=S,tokens=T,...",
            "generate the samples of a step, too: P prompts, S answers to each, of T\n"
            "tokens on average; how to divide the GPUs between training and generation.\n"
            "More words: longest=L tokens of an answer (else all are as long; or --lengths\n"
            "FILE), prompt=512 tokens, gpus=G that generate, tensor=N GPUs of an engine,\n"
            "sequences=1024 decoded together, memory=92 percent of a GPU for an engine;\n"
            "--batch is of an update. What is not typed is taken from the script of --from",
            "Rollout"};
}

void take_rollout(Arguments& arguments, const Arguments& script) {
    std::vector<std::string> words;
    const auto add = [&](const Arguments& from) {
        for (const std::string& all : from.all(kRollout)) {
            for (const std::string& word : between_commas(all)) {
                const bool known = std::any_of(words.begin(), words.end(), [&](const std::string& other) {
                    return name_in(other) == name_in(word);
                });
                if (!known) {
                    words.push_back(word);
                }
            }
        }
    };
    add(arguments);
    add(script);
    const bool typed = arguments.has("--gpus");
    arguments = arguments.with(kRollout, join(words, ","));
    Arguments training = script;
    const std::int64_t generating = read_words(arguments).gpus;
    if (!typed && generating > 0) {
        arguments.give("--gpus", std::to_string(training.count("--gpus").value_or(0) + generating));
    }
    note("--rollout {}", join(words, ","));
}

int run_rollout(Arguments& arguments, Workload workload) {
    const Output output = read_output(arguments);
    RolloutOptions options = read_words(arguments);
    const std::int64_t gpus = arguments.required_count("--gpus", "how many GPUs there are: --gpus 64").value_or(1);
    complete(arguments, gpus, options);
    check_job(arguments, workload, options, gpus);
    arguments.throw_if_faults();
    const auto answer = with_progress(question_of(arguments, std::move(workload), options, gpus));
    write(output, questions::rollout::document(answer));
    return interrupted() ? kInterrupted : answer.splits.empty() ? kNo : kAnswered;
}

}  // namespace dodona::cli
