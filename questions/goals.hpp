// Goals of a run: the options of questions that ask backwards, the goals that follow for a network, and what answers say
// of them.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/cluster.hpp"
#include "files/description_keys.hpp"
#include "files/money.hpp"
#include "graph/graph.hpp"
#include "questions/question.hpp"
#include "reports/document/record.hpp"
#include "search/attempt.hpp"

namespace dodona::questions {

/// The price of one device of a machine.
struct MachinePrice {
    std::string machine;  ///< as typed; empty: the only one
    files::Rate price;
};

struct GoalOptions {
    std::optional<double> tokens, samples, epochs;  ///< one of them, or none
    std::optional<Seconds> deadline;
    std::optional<double> tokens_per_second, samples_per_second;
    std::optional<files::Amount> budget;
    std::vector<MachinePrice> prices;

    [[nodiscard]] bool has_work() const { return tokens || samples || epochs; }
};

/// Faults of the options alone, before network and machine are known.
Faults contradictions(const GoalOptions& options);

/// In samples of this network. Faults where they cannot be asked of it.
search::Goals goals_of(const GoalOptions& options, const graph::Graph& graph, Faults& faults);

/// A machine that is asked about.
struct NamedMachine {
    std::string name;  ///< as typed
    cluster::Cluster cluster;
};

/// With the prices of the options in the place of those of files. Faults: a price of no machine asked about, several
/// currencies, a budget where a machine has no price.
std::vector<NamedMachine> priced(std::vector<NamedMachine> machines, const GoalOptions& options, Faults& faults);

/// Their keys in the table of a question's options; `To`: from the question's options to them.
template <auto... To>
std::vector<files::Key> work_keys(std::string_view group) {
    using files::kPositive;
    return {
        files::optional<To..., &GoalOptions::tokens>("tokens", "the work: tokens to train on, such as 15T or 1.5e13",
                                                     {.range = kPositive, .value_text = "T", .group = group}),
        files::optional<To..., &GoalOptions::samples>("samples", "the work: samples to train on",
                                                      {.range = kPositive, .value_text = "N", .group = group}),
        files::optional<To..., &GoalOptions::epochs>(
            "epochs", "the work: passes over the data set, where the model file gives its size",
            {.range = kPositive, .value_text = "E", .group = group})};
}
template <auto... To>
files::Key price_key(std::string_view group) {
    return files::optional_as<To..., &GoalOptions::prices>(
        {files::named_entries<&MachinePrice::machine, &MachinePrice::price>(files::rate_type())}, "price",
        "of one GPU and hour of machine M: dgx-h100=2.5USD; default: that of the machine's file; repeat for several",
        {.value_text = "[M=]PRICE", .group = group});
}
template <auto... To>
std::vector<files::Key> goal_keys() {
    using files::kPositive;
    const std::string_view goals = "Goals";
    return files::joined(
        work_keys<To...>(goals),
        {files::optional<To..., &GoalOptions::deadline>(
             "deadline", "for the work: 30d, 12h. Steps alone: without restarts, evaluation and checkpoints",
             {.range = kPositive, .value_text = "TIME", .group = goals}),
         files::optional<To..., &GoalOptions::tokens_per_second>(
             "tokens_per_s", "of all GPUs together", {.range = kPositive, .value_text = "X", .group = goals}),
         files::optional<To..., &GoalOptions::samples_per_second>(
             "samples_per_s", "of all GPUs together", {.range = kPositive, .value_text = "X", .group = goals}),
         files::optional_as<To..., &GoalOptions::budget>(files::optional_type<files::Amount>(files::amount_type()),
                                                         "budget", "for the work, at the machine's price: 1e6USD",
                                                         {.value_text = "MONEY", .group = goals}),
         price_key<To...>(goals)});
}

/// The question as its answer repeats it.
struct GoalInputs {
    std::string model;
    std::string model_source;
    std::optional<double> tokens_a_sample;  ///< none: a model without tokens
    search::Goals goals;
    std::vector<std::pair<std::string, std::string>> settings;  ///< options as given, as (option, value)
};

/// One number of GPUs, or value of a parameter, that was searched.
struct Searched {
    std::string of;          ///< the machine, or the parameter
    bool is_answer = false;  ///< it is what was to be found
    search::Attempt attempt;
    std::optional<cluster::Price> price;
};

/// Their keys in answers.
template <auto... To>
std::vector<files::Key> goal_input_keys() {
    using files::required;
    return {required<To..., &GoalInputs::model>("model", ""),
            files::optional<To..., &GoalInputs::model_source>("model_source", ""),
            required<To..., &GoalInputs::settings>("settings", ""),
            required<To..., &GoalInputs::tokens_a_sample>("tokens_per_sample", "null for networks without tokens",
                                                          {.range = files::kPositive}),
            required<To..., &GoalInputs::goals>("goals", "")};
}

/// Rows of a table of what was searched, whose first column is called `of`.
std::vector<reports::Record> searched_rows(std::string_view of, const std::vector<Searched>& searched);

/// The currency of a price; none without one.
std::optional<std::string> currency_of(const std::optional<cluster::Price>& price);

}  // namespace dodona::questions

namespace dodona::files {

template <>
const Description& description<search::Goals>();
template <>
const Description& description<search::TrainingRun>();
template <>
const Description& description<cluster::Price>();
/// As attempts stand in the JSON of an answer.
template <>
const Description& description<questions::Searched>();

}  // namespace dodona::files
