#include "validate/questions.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "graph/post_training.hpp"
#include "plan/usual_framework.hpp"
#include "validate/machine_of_run.hpp"
#include "validate/network_of_row.hpp"
#include "validate/network_of_run.hpp"
#include "validate/plan_of_run.hpp"

namespace dodona::validate {

namespace {

step::TimePart part_of(const files::ConventionLine& word) {
    for (std::size_t i = 0; i < step::kTimeParts; ++i) {
        const auto part = static_cast<step::TimePart>(i);
        if (step::name(part) == word.word) {
            return part;
        }
    }
    fail(word.where, fmt::format("\"{}\" is no part of a step", word.word));
}

constexpr std::string_view kGibibyte = "GiB";
constexpr std::string_view kVary = "vary";

MemoryRank memory_rank_of(const files::ConventionLine& word) {
    if (word.word == "first") {
        return MemoryRank::first;
    }
    if (word.word == "last") {
        return MemoryRank::last;
    }
    fail(word.where, fmt::format("\"{}\" is no rank whose memory a row may have", word.word), "first or last");
}

/// In the place of a framework: what is usual for the run's network, strategy and device.
constexpr std::string_view kUsual = "usual";

graph::WeightStorage storage_of(const files::ConventionLine& word) {
    const auto storage = value_of<graph::WeightStorage>(word.word);
    if (!storage) {
        fail(word.where, fmt::format("\"{}\" is no way to keep weights", word.word), "nf4, nf4-single, int8 or fp8");
    }
    return *storage;
}

}  // namespace

Questions::Questions(const files::Library& library, Tables tables, files::RunConventions conventions)
    : library_(library.remembering()),
      tables_(std::move(tables)),
      conventions_(files::combined(std::move(conventions), library_.run_conventions())),
      table_conventions_(library_.table_conventions()) {
    append(not_timed_, conventions_.not_timed, [&](const files::ConventionLine& word) { return part_of(word); });
    for (const files::ConventionLine& word : conventions_.memory_units) {
        if (word.word != kGibibyte) {
            fail(word.where, fmt::format("\"{}\" is no unit of measured memory", word.word), "GiB");
        }
    }
    for (const files::ConventionLine& word : conventions_.lengths) {
        if (word.word != kVary) {
            fail(word.where, fmt::format("\"{}\" is no word for lengths", word.word), "vary");
        }
    }
    for (const files::ConventionLine& word : conventions_.memory_ranks) {
        static_cast<void>(memory_rank_of(word));
    }
    for (const files::ConventionLine& word : conventions_.frozen_weights) {
        static_cast<void>(storage_of(word));
    }
    for (std::string& model : library_.models()) {
        built_in_.insert(std::move(model));
    }
    for (const std::string& model : library_.models_of_hub()) {
        built_in_.erase(model);
    }
}

const std::vector<std::string>& Questions::parameters(const std::string& model, const Location& where) {
    auto known = parameters_.find(model);
    if (known == parameters_.end()) {
        const graph::NetworkSpec usual = library_.model(model, {}, where);
        std::vector<std::string> names;
        for (const auto& [name, value] : usual.parameters) {
            names.push_back(name);
        }
        known = parameters_.emplace(model, std::move(names)).first;
    }
    return known->second;
}

const files::ModelRow* Questions::row_of(const files::MeasuredRun& run) {
    const std::string model = model_of(run, conventions_);
    if (built_in_.contains(model)) {
        return nullptr;
    }
    // Another spelling of a built-in's name is the built-in too; a word for several is not, nor one of the hub's.
    auto known = is_spelling_.find(model);
    if (known == is_spelling_.end()) {
        const auto alias = library_.resolve_alias(files::NameOf::model, model);
        const bool is_spelling = alias && alias->note.empty() && built_in_.contains(alias->name);
        known = is_spelling_.emplace(model, is_spelling).first;
    }
    return known->second ? nullptr : tables_.model(run.model);
}

Questions::Named Questions::named(const files::MeasuredRun& run) {
    const std::string model = model_of(run, conventions_);
    return {model, settings_of(run, conventions_, parameters(model, run.place("model")))};
}

Questions::Named Questions::described(const files::MeasuredRun& run, const files::ModelRow& row) {
    if (!checked_.contains(row.model)) {
        check_parameters(row, table_conventions_, library_);
        checked_.insert(row.model);
    }
    ModelOfRow model = model_of_row(row, run.model_overrides, table_conventions_);
    files::MeasuredRun rest = run;
    rest.model_overrides = model.others;
    rest.cells["model"].text = model.file;
    std::vector<files::Setting> settings = settings_of(rest, conventions_, parameters(model.file, run.place("model")));
    for (files::Setting& setting : model.settings) {
        auto* rule = found_in(settings, &files::Setting::name, setting.name);
        if (rule == nullptr) {
            settings.push_back(std::move(setting));
        } else if (setting.where.source == run.where.source) {  // the run overrides it; conventions do not
            *rule = std::move(setting);
        }
    }
    return {model.file, std::move(settings)};
}

std::shared_ptr<const graph::Graph> Questions::network(const files::MeasuredRun& run, const Named& named) {
    const auto& [model, settings] = named;
    std::string key = model;
    for (const files::Setting& setting : settings) {
        key += fmt::format("\n{}={}", setting.name, setting.value);
    }
    const files::ConventionLine* const frozen = first_match(run, conventions_.frozen_weights);
    if (frozen != nullptr) {
        key += "\n" + frozen->word;
    }
    std::shared_ptr<const graph::Graph>& graph = networks_[key];
    if (!graph) {
        graph::NetworkSpec spec = library_.model(model, settings, run.place("model"));
        if (frozen != nullptr) {
            graph::store_frozen(spec, storage_of(*frozen));
        }
        graph = std::make_shared<const graph::Graph>(graph::build(spec));
    }
    check_shape(run, settings, *graph);
    return graph;
}

std::shared_ptr<const cluster::Cluster> Questions::machine(const files::MeasuredRun& run,
                                                           const files::RunStrategy& line) {
    if (const files::ConventionLine* word = first_match(run, conventions_.machines);
        word != nullptr && word->word != run.machine) {
        files::MeasuredRun renamed = run;
        renamed.machine = word->word;
        return machine_named(renamed, line);
    }
    return machine_named(run, line);
}

std::shared_ptr<const cluster::Cluster> Questions::machine_named(const files::MeasuredRun& run,
                                                                 const files::RunStrategy& line) {
    const std::string servers(line.servers ? cluster::name(*line.servers) : "");
    std::shared_ptr<const cluster::Cluster>& machine = machines_[machine_key(run) + "\n" + servers];
    if (!machine) {
        cluster::Cluster read = machine_of(run, library_, tables_, table_conventions_);
        read.parameter_servers.place = line.servers.value_or(read.parameter_servers.place);
        machine = std::make_shared<const cluster::Cluster>(std::move(read));
    }
    check_size(run, tables_, *machine);
    const files::LinkRow* links = tables_.link(run.id);
    return links == nullptr ? machine : std::make_shared<const cluster::Cluster>(with_links(*machine, run, *links));
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
    const std::string reference = framework.reference;
    frameworks_.insert_or_assign(reference, std::move(framework));
}

plan::Framework Questions::usual_software(const files::MeasuredRun& run, const Question& question) {
    if (built_in_frameworks_.empty()) {
        built_in_frameworks_ = library_.all_frameworks();
    }
    const plan::Strategy strategy = question.plan.sharded_strategy();
    const std::vector<plan::Framework> released = plan::released_by(built_in_frameworks_, run.date);
    const plan::Framework* usual =
        plan::usual_framework(released, *question.graph, &strategy, *question.cluster, question.plan.offload);
    return usual == nullptr ? plan::Framework{} : *usual;
}

plan::Framework Questions::software_of(const files::MeasuredRun& run, const Question* question) {
    const files::ConventionLine* word = first_match(run, conventions_.frameworks);
    if (word == nullptr || (word->word == kUsual && question == nullptr)) {
        return {};
    }
    const plan::FrameworkReference named = plan::framework_reference(word->word);
    plan::Framework software =
        named.framework == kUsual ? usual_software(run, *question) : framework(named.framework, word->where);
    if (question != nullptr && software.is_timed_otherwise(question->plan.sharded_strategy())) {
        software = framework(software.otherwise, word->where);
    }
    for (const std::string& name : named.mechanisms) {
        software.add(mechanism(name, word->where));
    }
    for (const files::ConventionLine& line : conventions_.mechanisms) {
        if (line.when.holds(run)) {
            software.add(mechanism(line.word, line.where));
        }
    }
    const auto& groups = software.fitted_to;
    if (std::find(groups.begin(), groups.end(), run.group) == groups.end()) {
        const auto maker = question == nullptr ? std::nullopt : question->cluster->device.maker();
        software.add_distance(mechanism(plan::distance(software, maker), word->where),
                              mechanism(plan::kUnfamiliar, word->where));
    }
    return software;
}

const plan::Mechanism& Questions::mechanism(const std::string& name, const Location& where) {
    auto known = mechanisms_.find(name);
    if (known == mechanisms_.end()) {
        known = mechanisms_.emplace(name, library_.mechanism(name, where)).first;
    }
    return known->second;
}

plan::MemoryProfile Questions::memory_of(const files::MeasuredRun& run, const plan::Framework& framework) {
    const files::ConventionLine* word = first_match(run, conventions_.memory);
    const files::ConventionLine* software = first_match(run, conventions_.frameworks);
    const bool is_usual = software != nullptr && software->word == kUsual;
    plan::MemoryProfile memory;
    if (word == nullptr && (!is_usual || framework.memory.empty())) {
        memory.prepend(framework.rules);
        return memory;
    }
    const std::string& name = word == nullptr ? framework.memory : word->word;
    auto known = profiles_.find(name);
    if (known == profiles_.end()) {
        known = profiles_.emplace(name, library_.memory_profile(name, word == nullptr ? software->where : word->where))
                    .first;
    }
    memory = known->second;
    memory.prepend(framework.rules);
    return memory;
}

Software Questions::software(const files::MeasuredRun& run) {
    plan::Framework framework = software_of(run);
    plan::MemoryProfile memory = memory_of(run, framework);
    return {std::move(framework), std::move(memory)};
}

Question Questions::of(const files::MeasuredRun& run) {
    const files::ModelRow* row = row_of(run);
    if (row == nullptr) {
        return asked(run, named(run));
    }
    // What conventions say of a kind of network holds for one of a table too.
    Named model = described(run, *row);
    files::MeasuredRun alike = run;
    alike.cells["model"].text = model.model;
    return asked(alike, model);
}

Question Questions::asked(const files::MeasuredRun& given, const Named& named) {
    const files::RunStrategy& line = strategy_line(given, conventions_);
    Question question;
    question.graph = network(given, named);
    question.cluster = machine(given, line);
    files::MeasuredRun run = given;
    if (run.cell("device").empty()) {
        run.cells["device"].text = question.cluster->device.name;
    }
    question.plan = plan_of(run, conventions_, line, strategy(line.strategy, run.place("strategy")), *question.graph);
    question.plan.framework = software_of(run, &question);
    question.plan.memory = memory_of(run, question.plan.framework);
    question.plan.lengths_vary = first_match(run, conventions_.lengths) != nullptr;
    if (first_match(run, conventions_.memory_units) != nullptr) {
        question.memory_unit = 0x1p30 / 1e9;
    }
    if (const files::ConventionLine* whose = first_match(run, conventions_.memory_ranks)) {
        question.memory_rank = memory_rank_of(*whose);
    }
    for (std::size_t i = 0; i < not_timed_.size(); ++i) {
        if (conventions_.not_timed[i].when.holds(run)) {
            question.not_timed.push_back(not_timed_[i]);
        }
    }
    return question;
}

}  // namespace dodona::validate
