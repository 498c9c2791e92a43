#include "cli/goals.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cli/files.hpp"
#include "cli/words.hpp"
#include "files/money.hpp"

namespace dodona::cli {

namespace {

constexpr const char* kWork = "add --tokens T, --samples N or --epochs E";

void read_work(Arguments& arguments, GoalSettings& settings) {
    settings.tokens = arguments.amount("--tokens");
    settings.samples = arguments.amount("--samples");
    settings.epochs = arguments.amount("--epochs");
    std::vector<std::string> given;
    for (const char* name : {"--tokens", "--samples", "--epochs"}) {
        if (arguments.has(name)) {
            given.emplace_back(name);
        }
    }
    if (given.size() > 1) {
        arguments.fault(given[1], fmt::format("the work is given by {} already", given[0]), "give one of them");
    }
}

/// A price with its time, an hour where there is none: "2.5USD/h", "$2.5".
std::variant<files::Rate, files::NotAQuantity> rate_typed(const std::string& typed) {
    const std::string price = money_meant(typed);
    const bool has_no_time =
        price.find('/') == std::string::npos && std::holds_alternative<files::Amount>(files::amount_from(price));
    return files::rate_from(price + (has_no_time ? "/h" : ""));
}

void read_prices(Arguments& arguments, GoalSettings& settings) {
    for (const std::string& typed : arguments.all("--price")) {
        const std::size_t equals = typed.rfind('=');
        std::string machine = equals == std::string::npos ? "" : typed.substr(0, equals);
        if (const auto meant = library().resolve_alias(files::NameOf::cluster, machine)) {
            machine = meant->name;
        }
        const auto read = rate_typed(equals == std::string::npos ? typed : typed.substr(equals + 1));
        if (const auto* fault = std::get_if<files::NotAQuantity>(&read)) {
            arguments.fault("--price", fault->message, fault->help);
            continue;
        }
        const files::Rate& rate = std::get<files::Rate>(read);
        if (!settings.prices.insert({machine, {rate.money, rate.currency, ""}}).second) {
            arguments.fault("--price", machine.empty() ? "given twice" : as_typed(machine) + " has two prices");
        }
    }
}

void read_budget(Arguments& arguments, GoalSettings& settings) {
    const auto typed = arguments.text("--budget");
    if (!typed) {
        return;
    }
    const auto read = files::amount_from(money_meant(*typed));
    if (const auto* fault = std::get_if<files::NotAQuantity>(&read)) {
        arguments.fault("--budget", fault->message, fault->help);
        return;
    }
    settings.budget = std::get<files::Amount>(read).money;
    settings.currency = std::get<files::Amount>(read).currency;
}

std::vector<std::string> machines_of(const std::vector<Workload>& workloads) {
    std::vector<std::string> names;
    for (const Workload& workload : workloads) {
        names.push_back(workload.machine);
    }
    return names;
}

void check_currencies(Arguments& arguments, const GoalSettings& settings, const std::vector<Workload>& workloads) {
    std::string currency = settings.currency;
    std::string whose = "--budget";
    for (const Workload& workload : workloads) {
        if (!workload.cluster.price) {
            continue;
        }
        const std::string& other = workload.cluster.price->currency;
        if (currency.empty()) {
            currency = other;
            whose = "the price of " + workload.machine;
        } else if (other != currency) {
            arguments.fault("--price",
                            fmt::format("the price of {} is in {}, {} in {}", workload.machine, other, whose, currency),
                            "give all of them in one currency: dodona has no exchange rates");
            return;
        }
    }
}

}  // namespace

std::vector<Option> goal_options() {
    const std::string goals = "Goals";
    return {{"--tokens", "T", "the work: tokens to train on, such as 15T or 1.5e13", goals},
            {"--samples", "N", "the work: samples to train on", goals},
            {"--epochs", "E",
             "the work: passes over the data set, where the model file\n"
             "gives its size",
             goals},
            {"--deadline", "TIME",
             "for the work: 30d, 12h. Steps alone: without restarts,\n"
             "evaluation and checkpoints",
             goals},
            {"--tokens-per-s", "X", "of all GPUs together", goals},
            {"--samples-per-s", "X", "of all GPUs together", goals},
            {"--budget", "MONEY", "for the work, at the machine's price: 1e6USD", goals},
            {"--price", "[M=]PRICE",
             "of one GPU and hour of machine M: dgx-h100=2.5USD; default: that\n"
             "of the machine's file; repeat for several",
             goals, kRepeats}};
}

std::optional<cluster::Price> read_price(Arguments& arguments) {
    const auto typed = arguments.text("--price");
    if (!typed) {
        return std::nullopt;
    }
    const auto read = rate_typed(*typed);
    if (const auto* fault = std::get_if<files::NotAQuantity>(&read)) {
        arguments.fault("--price", fault->message, fault->help);
        return std::nullopt;
    }
    const files::Rate& rate = std::get<files::Rate>(read);
    return cluster::Price{rate.money, rate.currency, ""};
}

GoalSettings read_goals(Arguments& arguments) {
    GoalSettings settings;
    read_work(arguments, settings);
    settings.deadline = arguments.duration("--deadline");
    settings.tokens_per_second = arguments.amount("--tokens-per-s");
    settings.samples_per_second = arguments.amount("--samples-per-s");
    read_budget(arguments, settings);
    read_prices(arguments, settings);
    const bool works = arguments.has("--tokens") || arguments.has("--samples") || arguments.has("--epochs");
    for (const char* name : {"--deadline", "--budget"}) {
        if (arguments.has(name) && !works) {
            arguments.fault(name, "the work that it is for is missing", kWork);
        }
    }
    if (arguments.has("--tokens-per-s") && arguments.has("--samples-per-s")) {
        arguments.fault("--samples-per-s", "the throughput is given by --tokens-per-s already", "give one of them");
    }
    return settings;
}

search::Goals goals_of(Arguments& arguments, const GoalSettings& settings, const graph::Graph& graph) {
    search::Goals goals{.samples = settings.samples,
                        .deadline = settings.deadline,
                        .samples_per_second = settings.samples_per_second,
                        .budget = settings.budget};
    const double tokens = tokens_a_sample(graph);
    const auto in_samples = [&](const char* option, const char* instead, double count) {
        if (tokens == 0) {
            arguments.fault(option, fmt::format("{} reads no tokens", graph.name), fmt::format("use {}", instead));
        }
        return count / std::max(tokens, 1.0);
    };
    if (settings.tokens) {
        goals.samples = in_samples("--tokens", "--samples or --epochs", *settings.tokens);
    }
    if (settings.tokens_per_second) {
        goals.samples_per_second = in_samples("--tokens-per-s", "--samples-per-s", *settings.tokens_per_second);
    }
    if (settings.epochs && !graph.dataset.samples) {
        arguments.fault("--epochs", fmt::format("the size of the data set of {} is not known", graph.name),
                        "use --samples or --tokens, or add `dataset: {samples: N, source: ...}` to the model file");
    } else if (settings.epochs) {
        goals.samples = *settings.epochs * *graph.dataset.samples;
    }
    return goals;
}

void set_prices(Arguments& arguments, const GoalSettings& settings, std::vector<Workload>& workloads) {
    const std::vector<std::string> machines = machines_of(workloads);
    for (const auto& [machine, price] : settings.prices) {
        if (machine.empty() && workloads.size() > 1) {
            arguments.fault("--price", "which machine's price is it?",
                            fmt::format("for example {}=2.5USD/h", machines[0]));
            continue;
        }
        const auto found = std::find_if(
            workloads.begin(), workloads.end(),
            [&name = machine](const Workload& workload) { return name.empty() || workload.machine == name; });
        if (found == workloads.end()) {
            arguments.fault("--price",
                            fmt::format("{} is not asked about{}", as_typed(machine), did_you_mean(machine, machines)),
                            fmt::format("machines: {}", join(machines)));
            continue;
        }
        found->cluster.price = price;
    }
    check_currencies(arguments, settings, workloads);
    for (const Workload& workload : workloads) {
        if (settings.budget && !workload.cluster.price) {
            arguments.fault("--budget", fmt::format("{} has no price", workload.machine),
                            fmt::format("add --price {}=2.5USD/h, of one GPU; dodona has none", workload.machine));
        }
    }
}

}  // namespace dodona::cli
