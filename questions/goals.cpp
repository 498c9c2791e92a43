#include "questions/goals.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "base/ranges.hpp"
#include "graph/sample_tokens.hpp"
#include "questions/described.hpp"
#include "questions/goal_summary.hpp"

namespace dodona::questions {

namespace {

/// One of several options that give the same number.
struct Given {
    std::string_view option;
    bool is_given = false;
};

/// A fault at the second of those that are given, which says what the first gives already.
void check_given_once(std::initializer_list<Given> options, std::string_view what, Faults& faults) {
    const Given* first = nullptr;
    for (const Given& one : options) {
        if (one.is_given && first != nullptr) {
            std::string option = "--" + std::string(first->option);
            std::replace(option.begin(), option.end(), '_', '-');
            faults.push_back(
                {std::string(one.option), fmt::format("{} is given by {} already", what, option), "give one of them"});
            return;
        }
        first = one.is_given ? &one : first;
    }
}

void check_currencies(const std::vector<NamedMachine>& machines, const GoalOptions& options, Faults& faults) {
    std::string currency = options.budget ? options.budget->currency : "";
    std::string whose = "--budget";
    for (const NamedMachine& machine : machines) {
        if (!machine.cluster.price) {
            continue;
        }
        const std::string& other = machine.cluster.price->currency;
        if (currency.empty()) {
            currency = other;
            whose = "the price of " + machine.name;
        } else if (other != currency) {
            faults.push_back({"price",
                              fmt::format("the price of {} is in {}, {} in {}", machine.name, other, whose, currency),
                              "give all of them in one currency: dodona has no exchange rates"});
            return;
        }
    }
}

/// A typed word in messages.
std::string quoted(const std::string& typed) { return fmt::format("\"{}\"", typed); }

bool has_two_prices(const std::vector<MachinePrice>& prices, const MachinePrice& price) {
    return std::any_of(prices.data(), &price,
                       [&](const MachinePrice& other) { return other.machine == price.machine; });
}

}  // namespace

Faults contradictions(const GoalOptions& options) {
    Faults faults;
    check_given_once({{"tokens", options.tokens.has_value()},
                      {"samples", options.samples.has_value()},
                      {"epochs", options.epochs.has_value()}},
                     "the work", faults);
    for (const Given& of_work :
         {Given{"deadline", options.deadline.has_value()}, {"budget", options.budget.has_value()}}) {
        if (of_work.is_given && !options.has_work()) {
            faults.push_back({std::string(of_work.option), "the work that it is for is missing",
                              "add --tokens T, --samples N or --epochs E"});
        }
    }
    check_given_once({{"tokens_per_s", options.tokens_per_second.has_value()},
                      {"samples_per_s", options.samples_per_second.has_value()}},
                     "the throughput", faults);
    return faults;
}

search::Goals goals_of(const GoalOptions& options, const graph::Graph& graph, Faults& faults) {
    search::Goals goals{.samples = options.samples,
                        .deadline = options.deadline,
                        .samples_per_second = options.samples_per_second,
                        .budget = options.budget ? std::optional(options.budget->money) : std::nullopt};
    const double tokens = graph::tokens_a_sample(graph);
    const auto in_samples = [&](const char* option, const char* instead, double count) {
        if (tokens == 0) {
            faults.push_back({option, fmt::format("{} reads no tokens", graph.name), fmt::format("use {}", instead)});
        }
        return count / std::max(tokens, 1.0);
    };
    if (options.tokens) {
        goals.samples = in_samples("tokens", "--samples or --epochs", *options.tokens);
    }
    if (options.tokens_per_second) {
        goals.samples_per_second = in_samples("tokens_per_s", "--samples-per-s", *options.tokens_per_second);
    }
    if (options.epochs && !graph.dataset.samples) {
        faults.push_back({"epochs", fmt::format("the size of the data set of {} is not known", graph.name),
                          "use --samples or --tokens, or add `dataset: {samples: N, source: ...}` to the model file"});
    } else if (options.epochs) {
        goals.samples = *options.epochs * *graph.dataset.samples;
    }
    return goals;
}

std::vector<NamedMachine> priced(std::vector<NamedMachine> machines, const GoalOptions& options, Faults& faults) {
    const auto names = mapped<std::string>(machines, &NamedMachine::name);
    for (const MachinePrice& price : options.prices) {
        if (has_two_prices(options.prices, price)) {
            faults.push_back(
                {"price", price.machine.empty() ? "given twice" : quoted(price.machine) + " has two prices", ""});
            continue;
        }
        if (price.machine.empty() && machines.size() > 1) {
            faults.push_back(
                {"price", "which machine's price is it?", fmt::format("for example {}=2.5USD/h", names.front())});
            continue;
        }
        const auto found = std::find_if(machines.begin(), machines.end(), [&](const NamedMachine& machine) {
            return price.machine.empty() || machine.name == price.machine;
        });
        if (found == machines.end()) {
            faults.push_back(
                {"price",
                 fmt::format("{} is not asked about{}", quoted(price.machine), did_you_mean(price.machine, names)),
                 fmt::format("machines: {}", join(names))});
            continue;
        }
        found->cluster.price = {price.price.money, price.price.currency, ""};
    }
    check_currencies(machines, options, faults);
    for (const NamedMachine& machine : machines) {
        if (options.budget && !machine.cluster.price) {
            faults.push_back({"budget", fmt::format("{} has no price", machine.name),
                              fmt::format("add --price {}=2.5USD/h, of one GPU; dodona has none", machine.name)});
        }
    }
    return machines;
}

std::optional<std::string> currency_of(const std::optional<cluster::Price>& price) {
    return price ? std::optional(price->currency) : std::nullopt;
}

std::vector<reports::Record> searched_rows(std::string_view of, const std::vector<Searched>& searched) {
    const files::Description row{.keys = files::joined({files::required<&Searched::of>(of, ""),
                                                        files::required<&Searched::is_answer>("answer", "")},
                                                       files::description<Searched>().keys)};
    return mapped<reports::Record>(searched, [&](const Searched& one) { return row_of(row, &one); });
}

}  // namespace dodona::questions

namespace dodona::files {

template <>
const Description& description<search::Goals>() {
    using questions::computed;
    using search::Goals;
    static const Description described{
        .keys = {required<&Goals::samples>("samples", "the work", {.range = kNotNegative}),
                 required<&Goals::deadline>("deadline", ""),
                 required<&Goals::samples_per_second>("samples_per_s", "", {.range = kNotNegative}),
                 computed("budget", "in the currency of inputs",
                          [](const Goals& goals) {
                              return goals.budget ? std::optional(goals.budget->in(unit::money)) : std::nullopt;
                          },
                          {.range = kNotNegative})}};
    return described;
}

template <>
const Description& description<search::TrainingRun>() {
    using questions::computed;
    using search::TrainingRun;
    static const Description described{.keys = {required<&TrainingRun::samples>("samples", "", {.range = kNotNegative}),
                                                required<&TrainingRun::time>("time", ""),
                                                required<&TrainingRun::device_time>("gpu", "of all GPUs together"),
                                                computed("cost", "in the currency of inputs; null without a price",
                                                         [](const TrainingRun& run) {
                                                             return run.money
                                                                        ? std::optional(run.money->in(unit::money))
                                                                        : std::nullopt;
                                                         },
                                                         {.range = kNotNegative})}};
    return described;
}

template <>
const Description& description<questions::Searched>() {
    using questions::computed;
    using questions::Searched;
    using search::Attempt;
    const KeyOptions kFromOne{.range = at_least(1)};
    const KeyOptions kNone{.range = kNotNegative};
    const auto mesh = [](const Searched& one) {
        return one.attempt.plan ? one.attempt.plan->plan.mesh : std::vector<plan::MeshAxis>{};
    };
    static const Description described{
        .noun = "attempt",
        .keys = {
            required<&Searched::attempt, &Attempt::value>("value", "what varies: GPUs, or the parameter asked about",
                                                          kFromOne),
            required<&Searched::attempt, &Attempt::devices>("gpus", "", kFromOne),
            required<&Searched::attempt, &Attempt::batch>("batch", "samples a step", kFromOne),
            computed("fits", "", [](const Searched& one) { return one.attempt.fits(); }),
            required<&Searched::attempt, &Attempt::missed>(
                "missed", "the first goal that the best plan misses; memory: no plan fits"),
            computed("why_not", "null where all goals are met",
                     [](const Searched& one) {
                         return one.attempt.missed ? std::optional(questions::missed_goal(one.attempt, one.price))
                                                   : std::nullopt;
                     }),
            computed("strategy", "of the best plan; where none fits, of the nearest, if there is one",
                     [](const Searched& one) {
                         const auto& plan = one.attempt.plan;
                         return plan ? std::optional(plan->plan.strategy.name) : std::nullopt;
                     }),
            computed_as({named_entries<&plan::MeshAxis::name, &plan::MeshAxis::size>(type_of<std::int64_t>(kFromOne))},
                        "mesh", "", mesh),
            computed("step", "",
                     [](const Searched& one) {
                         return one.attempt.plan ? std::optional(one.attempt.plan->step.value) : std::nullopt;
                     }),
            computed(
                "samples_per_s", "",
                [](const Searched& one) {
                    return one.attempt.plan ? std::optional(one.attempt.plan->samples_per_second) : std::nullopt;
                },
                kNone),
            computed(
                "tokens_per_s", "null for networks without tokens",
                [](const Searched& one) {
                    return one.attempt.plan ? one.attempt.plan->tokens_per_second : std::nullopt;
                },
                kNone),
            computed(
                "mfu", "",
                [](const Searched& one) {
                    return one.attempt.plan ? std::optional(one.attempt.plan->mfu) : std::nullopt;
                },
                kNone),
            computed("memory", "of the process on the fullest device",
                     [](const Searched& one) {
                         return one.attempt.plan ? std::optional(one.attempt.plan->memory.total()) : std::nullopt;
                     }),
            computed("memory_limit", "",
                     [](const Searched& one) {
                         return one.attempt.plan ? std::optional(one.attempt.plan->memory_limit) : std::nullopt;
                     }),
            required<&Searched::attempt, &Attempt::run>("run",
                                                        "the whole work: steps alone, without restarts, evaluation and "
                                                        "checkpoints; null where no work is given or nothing fits"),
            computed(
                "cost_of_a_million", "tokens, or samples of a network without tokens; null without a price",
                [](const Searched& one) {
                    const auto cost =
                        one.attempt.fits() ? questions::cost_of_million(*one.attempt.plan, one.price) : std::nullopt;
                    return cost ? std::optional(cost->in(unit::money)) : std::nullopt;
                },
                kNone),
            required<&Searched::attempt, &Attempt::configurations>("configurations", "", kNone),
            required<&Searched::attempt, &Attempt::asked>("asked", "false: for comparison alone, never the answer")}};
    return described;
}

template <>
const Description& description<cluster::Price>() {
    using cluster::Price;
    using questions::computed;
    static const Description described{
        .keys = {computed("per_gpu_s", "of one GPU for a second",
                          [](const Price& price) { return price.device.in(unit::money / unit::second); },
                          {.range = kNotNegative}),
                 required<&Price::currency>("currency", "three capital letters"),
                 computed("source", "", [](const Price& price) {
                     return price.source.empty() ? std::string("command line") : price.source;
                 })}};
    return described;
}

}  // namespace dodona::files
