#include <fmt/format.h>

#include "questions/described.hpp"
#include "questions/rollout/rollout.hpp"
#include "reports/collect/plan_summary.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::questions::rollout {

namespace {

using namespace reports;

constexpr std::size_t kSplitsShown = 8;

std::string gpus_text(const Split& split) {
    return split.placement == Placement::together ? fmt::format("all of {}", split.training.gpus)
                                                  : fmt::format("{} + {}", split.training.gpus, split.generation.gpus);
}

/// "71.0 s with 24 GPUs that train and 40 that generate, one behind".
std::string step_text(const Split& split) {
    return split.placement == Placement::together
               ? fmt::format("{} together", text(split.step.value))
               : fmt::format("{} {}, {} of them training and {} generating", text(split.step.value),
                             name_of(split.placement), split.training.gpus, split.generation.gpus);
}

std::string headline(const Answer& answer) {
    const Question& question = answer.question;
    std::string line = fmt::format("{} on {} of {}, {} prompts x {} answers: ", question.subject.model,
                                   counted(question.space.devices, "GPU"), question.subject.machine,
                                   whole(question.options.prompts), question.options.samples);
    const Split* on_policy = nullptr;
    for (const Placement placement : {Placement::together, Placement::in_turn}) {
        const Split* split = answer.best(placement);
        on_policy =
            split != nullptr && (on_policy == nullptr || split->step.value < on_policy->step.value) ? split : on_policy;
    }
    const Split* behind = answer.best(Placement::one_behind);
    if (on_policy == nullptr && behind == nullptr) {
        return line + "nothing fits";
    }
    line += on_policy != nullptr ? step_text(*on_policy) : "";
    line += on_policy != nullptr && behind != nullptr ? "; " : "";
    return line + (behind != nullptr ? step_text(*behind) : "");
}

std::string lengths_text(const Question& question) {
    const double mean = question.lengths.mean();
    const double longest = question.lengths.most();
    std::string line = fmt::format("prompts of {} tokens; ", whole(question.options.prompt));
    line += mean < longest ? fmt::format("answers of {} on average, {} at most", whole(mean), whole(longest))
                           : fmt::format("all answers of {}: no engine waits for the longest", whole(longest));
    return line + fmt::format("; {} of {} samples a step", counted(question.samples() / question.batch, "update"),
                              whole(question.batch));
}

/// The side that waits, and how long.
std::string waits_text(const Split& split) {
    const auto share = [&](Seconds wait) { return percent(wait / split.step.value); };
    if (split.placement == Placement::together) {
        return "";
    }
    if (split.placement == Placement::in_turn) {
        return fmt::format("training {}, generation {}", text(split.training_waits), text(split.generation_waits));
    }
    return split.training_waits > split.generation_waits
               ? fmt::format("training {} ({})", text(split.training_waits), share(split.training_waits))
               : fmt::format("generation {} ({})", text(split.generation_waits), share(split.generation_waits));
}

Table split_table(const Answer& answer) {
    Table table({{"placement"},
                 {"train + generate", Align::right},
                 {"step", Align::right},
                 {"generation", Align::right},
                 {"log-probs", Align::right},
                 {"updates", Align::right},
                 {"transfer", Align::right},
                 {"waits"},
                 {"tokens/s a GPU", Align::right, true}});
    std::size_t shown = 0;
    for (const Split& split : answer.splits) {
        if (split.placement == Placement::one_behind && shown++ >= kSplitsShown) {
            continue;
        }
        table.row({std::string(name_of(split.placement)), gpus_text(split), split.step.value,
                   split.generation.generated.slowest.time.value, split.training.log_probabilities.value,
                   split.training.update.value, split.transfer + split.copies, waits_text(split),
                   Number{split.tokens_per_second}});
    }
    return table;
}

KeyFigures split_figures(const Split& split) {
    const Generation& generation = split.generation;
    const generation::Generated& slowest = generation.generated.slowest;
    const Training& training = split.training;
    return {{{.label = "step", .value = split.step},
             {.label = "update",
              .value = (1 / static_cast<double>(training.updates)) * training.update.value,
              .note = plan_text(training.prediction)},
             {.label = "engines",
              .value = fmt::format("{} of {}", generation.engines, counted(generation.tensor, "GPU")),
              .note = fmt::format("with {} of weights and {} of cache on each, for {} sequences of the mean length",
                                  text(generation.weights), text(generation.cache), three_digits(generation.room))},
             {.label = "decoding",
              .value = fmt::format("{} sequences", three_digits(slowest.mean)),
              .note = fmt::format("together on average, {} at most, after {} of prefill", whole(slowest.most),
                                  text(slowest.prefill.value))},
             {.label = "answers",
              .value = slowest.time.value,
              .note = fmt::format("until all are there, {} for nine tenths of them; {} on the average engine",
                                  text(slowest.nine_tenths), text(generation.generated.mean))}}};
}

/// Remarks on the tail, the cache and the host.
List advice(const Split& split) {
    const generation::Generated& slowest = split.generation.generated.slowest;
    List items;
    const double tail = 1 - slowest.nine_tenths / slowest.time.value;
    constexpr double kLongTail = 0.2;
    if (tail > kLongTail) {
        items.items.push_back(
            fmt::format("the longest answers hold up the others: {} of the generation is for the last "
                        "tenth of them, which more GPUs hardly shorten",
                        percent(tail)));
    }
    if (split.generation.room < slowest.most + 1 && split.generation.room > 0) {
        items.items.push_back(
            fmt::format("the cache is full: an engine's {} of it hold {} sequences of the mean length",
                        text(split.generation.cache), three_digits(split.generation.room)));
    }
    if (split.copies > Seconds{}) {
        items.items.push_back(
            fmt::format("weights, gradients and states of the training go to the host while answers are "
                        "generated, which takes {} there and back",
                        text(split.copies)));
    }
    return items;
}

std::string section_title(const Split& split) {
    return fmt::format(
        "{}, {}", name_of(split.placement),
        split.placement == Placement::together
            ? counted(split.training.gpus, "GPU")
            : fmt::format("{} training and {} generating", counted(split.training.gpus, "GPU"), split.generation.gpus));
}

void add_split(Document& document, const Split& split) {
    add_section(document, {section_title(split)}, {split_figures(split), advice(split)});
}

List left_out_items(const Answer& answer) {
    List items;
    for (const NoSplit& one : answer.left_out) {
        items.items.push_back(one.generation == 0
                                  ? fmt::format("together on {}: {}", counted(one.training, "GPU"), one.why)
                                  : fmt::format("{} + {}: {}", one.training, one.generation, one.why));
    }
    return items;
}

}  // namespace

Document document(const Answer& answer) {
    const Question& question = answer.question;
    Document document = answer_document(answer);
    set_asked(document, question.subject.model, question.subject.machine, question.space.devices);
    add(document, Headline{headline(answer)});
    add(document, Paragraph{lengths_text(question)});
    add(document, split_table(answer));
    for (const Placement placement : {Placement::together, Placement::one_behind}) {
        if (const Split* split = answer.best(placement)) {
            add_split(document, *split);
        }
    }
    add_section(document, {.title = "Divisions left out", .detail = !answer.splits.empty()}, {left_out_items(answer)});
    add(document, Note{"one behind trains on answers of the weights before: another algorithm, with the same work"});
    add(document,
        Note{"lower bounds: rewards, the engines' time between steps and their loading of weights are not predicted"});
    return document;
}

}  // namespace dodona::questions::rollout
