#include "cli/rollout.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "cli/exit_code.hpp"
#include "cli/interrupt.hpp"
#include "cli/job_space.hpp"
#include "cli/next.hpp"
#include "cli/note.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/question.hpp"
#include "questions/rollout/rollout.hpp"

namespace dodona::cli {

namespace {

using RolloutOptions = questions::rollout::Options;

constexpr const char* kRollout = "--rollout";
constexpr std::int64_t kMaxSamples = 1'000'000;
constexpr std::int64_t kMaxGpus = 1'000'000'000;

struct RolloutWord {
    std::string_view name;
    std::int64_t RolloutOptions::*member;
    std::int64_t most;
};
constexpr std::array kRolloutWords{RolloutWord{"prompts", &RolloutOptions::prompts, kMaxSamples},
                                   RolloutWord{"samples", &RolloutOptions::samples, kMaxSamples},
                                   RolloutWord{"tokens", &RolloutOptions::tokens, questions::rollout::kMaxTokens},
                                   RolloutWord{"longest", &RolloutOptions::longest, questions::rollout::kMaxTokens},
                                   RolloutWord{"prompt", &RolloutOptions::prompt, questions::rollout::kMaxTokens},
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
    const auto names = mapped<std::string>(kRolloutWords, &RolloutWord::name);
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

void refuse_options_of_one_plan(Arguments& arguments) {
    for (const char* option : kOfOnePlan) {
        if (arguments.has(option)) {
            arguments.fault(option, "it is of one plan, and --rollout divides GPUs among several",
                            "leave it out, and ask for the plan of the training with its --gpus");
        }
    }
}

questions::rollout::Answer with_progress(questions::rollout::Question question) {
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
                const bool known =
                    any_of(words, [&](const std::string& other) { return name_in(other) == name_in(word); });
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
    questions::rollout::Job job{.workload = std::move(workload),
                                .options = read_words(arguments),
                                .gpus = required_gpus(arguments, "how many GPUs there are: --gpus 64"),
                                .batch = arguments.count("--batch"),
                                .lengths = arguments.text("--lengths").value_or("")};
    add_faults(arguments, questions::rollout::contradictions(job));
    refuse_options_of_one_plan(arguments);
    arguments.throw_if_faults();
    job.options = questions::rollout::completed(job.options);
    search::Space space = job_space(arguments, questions::rollout::training_of(job));
    arguments.throw_if_faults();
    const auto answer = with_progress(questions::rollout::question(job, std::move(space)));
    reports::Document document = questions::rollout::document(answer);
    add_next(document, arguments, "plan", {{"plan", {{"--rollout", ""}}}, {"limits"}, {"size", {{"--gpus", ""}}}});
    write(output, document);
    return interrupted() ? kInterrupted : answer.splits.empty() ? kNo : kAnswered;
}

}  // namespace dodona::cli
