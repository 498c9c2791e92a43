#include "validate/questions.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "validate/machine_of_run.hpp"
#include "validate/network_of_run.hpp"
#include "validate/plan_of_run.hpp"

namespace dodona::validate {

namespace {

schedule::TimePart part_of(const input::RunWord& word) {
    for (std::size_t i = 0; i < schedule::kTimeParts; ++i) {
        const auto part = static_cast<schedule::TimePart>(i);
        if (schedule::name(part) == word.word) {
            return part;
        }
    }
    fail(word.where, fmt::format("\"{}\" is no part of a step", word.word));
}

}  // namespace

Questions::Questions(input::Library library) : library_(std::move(library)), conventions_(library_.run_conventions()) {
    for (const input::RunWord& word : conventions_.not_timed) {
        not_timed_.push_back(part_of(word));
    }
}

std::shared_ptr<const graph::Graph> Questions::network(const input::Run& run) {
    const std::string model = model_of(run, conventions_);
    auto known = parameters_.find(model);
    if (known == parameters_.end()) {
        const graph::NetworkSpec usual = library_.model(model, {}, run.place("model"));
        std::vector<std::string> names;
        for (const auto& [name, value] : usual.parameters) {
            names.push_back(name);
        }
        known = parameters_.emplace(model, std::move(names)).first;
    }
    const std::vector<input::Setting> settings = settings_of(run, conventions_, known->second);
    std::string key = model;
    for (const input::Setting& setting : settings) {
        key += fmt::format("\n{}={}", setting.name, setting.value);
    }
    std::shared_ptr<const graph::Graph>& graph = networks_[key];
    if (!graph) {
        graph = std::make_shared<const graph::Graph>(graph::build(library_.model(model, settings, run.place("model"))));
    }
    check_shape(run, settings, *graph);
    return graph;
}

std::shared_ptr<const cluster::Cluster> Questions::machine(const input::Run& run, const input::RunStrategy& line) {
    const std::string servers(line.servers ? cluster::name(*line.servers) : "");
    std::shared_ptr<const cluster::Cluster>& machine = machines_[machine_key(run) + "\n" + servers];
    if (!machine) {
        cluster::Cluster read = machine_of(run, library_);
        read.parameter_servers.place = line.servers.value_or(read.parameter_servers.place);
        machine = std::make_shared<const cluster::Cluster>(std::move(read));
    }
    return machine;
}

const plan::Strategy& Questions::strategy(const std::string& name, const Location& where) {
    auto known = strategies_.find(name);
    if (known == strategies_.end()) {
        known = strategies_.emplace(name, library_.strategy(name, where)).first;
    }
    return known->second;
}

const plan::Framework& Questions::framework(const std::string& name, const Location& where) {
    auto known = frameworks_.find(name);
    if (known == frameworks_.end()) {
        known = frameworks_.emplace(name, library_.framework(name, where)).first;
    }
    return known->second;
}

void Questions::replace(plan::Framework framework) {
    const std::string name = framework.name;
    frameworks_.insert_or_assign(name, std::move(framework));
}

plan::MemoryProfile Questions::memory_of(const input::Run& run) {
    const input::RunWord* word = first_match(run, conventions_.memory);
    if (word == nullptr) {
        return {};
    }
    auto known = profiles_.find(word->word);
    if (known == profiles_.end()) {
        known = profiles_.emplace(word->word, library_.memory_profile(word->word, word->where)).first;
    }
    return known->second;
}

Question Questions::of(const input::Run& run) {
    const input::RunStrategy& line = strategy_line(run, conventions_);
    Question question;
    question.graph = network(run);
    question.cluster = machine(run, line);
    question.plan = plan_of(run, conventions_, line, strategy(line.strategy, run.place("strategy")), *question.graph);
    if (const input::RunWord* word = first_match(run, conventions_.frameworks)) {
        question.plan.framework = framework(word->word, word->where);
    }
    question.plan.memory = memory_of(run);
    for (std::size_t i = 0; i < not_timed_.size(); ++i) {
        if (conventions_.not_timed[i].when.holds(run)) {
            question.not_timed.push_back(not_timed_[i]);
        }
    }
    return question;
}

}  // namespace dodona::validate
