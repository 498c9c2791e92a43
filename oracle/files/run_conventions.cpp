#include "files/run_conventions.hpp"

#include <filesystem>

#include "base/ranges.hpp"
#include "files/fields.hpp"
#include "files/heading.hpp"
#include "files/library.hpp"
#include "files/strategy_file.hpp"

namespace dodona::files {

namespace {

constexpr std::string_view kTable = "a table of runs";

std::string column_of(const std::string& name, const Value& value) {
    return read_column(name, value, run_columns(), kTable);
}

RunCondition read_when(const Value& value) { return read_condition(value, run_columns(), kTable); }

RunStrategy read_strategy_of(const Value& value) {
    RunStrategy read;
    read.where = value.where();
    Fields fields(value);
    read.when = read_when(fields.require("when", "which rows: {strategy: data}"));
    if (const Value refuse = fields.find("refuse")) {
        read.refusal = refuse.text();
        fields.finish();
        return read;
    }
    read.strategy = fields.require("use", "a built-in strategy, or `refuse:` with the reason").text();
    for (const Fields::Member& member : Fields(fields.find("mesh")).rest()) {
        read.mesh.push_back({member.key, column_of(member.value.text(), member.value)});
    }
    if (const Value algorithm = fields.find("algorithm")) {
        read.algorithm = algorithm.text();
    }
    if (const Value servers = fields.find("servers")) {
        read.servers = servers.one_of(cluster::kServerPlaces, cluster::ParameterServers::Place::device);
    }
    fields.finish();
    return read;
}

std::vector<ConventionLine> read_convention_lines(const Value& list) {
    std::vector<ConventionLine> words;
    for (const Value& value : list.list()) {
        ConventionLine& word = words.emplace_back();
        word.where = value.where();
        Fields fields(value);
        word.when = read_when(fields.require("when", "which rows; {} is all of them"));
        word.word = fields.require("use").text();
        fields.finish();
    }
    return words;
}

RunSettings read_settings(const Value& value) {
    RunSettings settings;
    settings.where = value.where();
    Fields fields(value);
    settings.when = read_when(fields.require("when", "which rows: {model: vtrain-gpt}"));
    for (const Fields::Member& member : Fields(fields.require("set", "{parameter: value}")).rest()) {
        settings.set.emplace_back(member.key, member.value.text());
    }
    fields.finish();
    return settings;
}

RunRecompute read_recompute(const Value& value) {
    RunRecompute recompute;
    recompute.where = value.where();
    Fields fields(value);
    recompute.when = read_when(fields.require("when", "which rows: {recompute: \"custom: *\"}"));
    recompute.layers = read_matches(fields.require("layers", "those that run again in backward: [norm1, gated]"));
    fields.finish();
    return recompute;
}

/// Names of files in `folder` beside the conventions, and paths relative to them, as paths.
void look_beside(const std::filesystem::path& conventions, const char* folder, std::vector<ConventionLine>& words) {
    const std::filesystem::path here = conventions.parent_path();
    std::error_code ignored;
    for (ConventionLine& word : words) {
        const std::string name = plan::framework_reference(word.word).framework;
        const std::string mechanisms = word.word.substr(name.size());
        if (is_path(name)) {
            word.word = (here / name).generic_string() + mechanisms;
        } else if (const auto file = here / folder / (name + ".yaml"); std::filesystem::exists(file, ignored)) {
            word.word = file.generic_string() + mechanisms;
        }
    }
}

}  // namespace

RunConventions read_run_conventions(Document document) {
    RunConventions conventions;
    Fields fields(Value(*document.root, "", document.faults));
    static_cast<void>(read_heading(fields, "conventions"));
    for (const Fields::Member& member : Fields(fields.find("inputs")).rest()) {
        conventions.inputs.push_back({member.key, member.value.texts()});
    }
    for (const Value& value : fields.find("strategies").list()) {
        conventions.strategies.push_back(read_strategy_of(value));
    }
    conventions.models = read_convention_lines(fields.find("models"));
    conventions.machines = read_convention_lines(fields.find("machines"));
    conventions.optimizers = read_convention_lines(fields.find("optimizers"));
    conventions.frameworks = read_convention_lines(fields.find("frameworks"));
    conventions.mechanisms = read_convention_lines(fields.find("mechanisms"));
    conventions.precision = read_convention_lines(fields.find("precision"));
    conventions.gradient_precision = read_convention_lines(fields.find("gradient_precision"));
    conventions.frozen_weights = read_convention_lines(fields.find("frozen_weights"));
    conventions.shard = read_convention_lines(fields.find("shard"));
    conventions.cuts = read_convention_lines(fields.find("cuts"));
    conventions.overlap = read_convention_lines(fields.find("overlap"));
    conventions.offload = read_convention_lines(fields.find("offload"));
    conventions.not_timed = read_convention_lines(fields.find("not_timed"));
    conventions.memory_units = read_convention_lines(fields.find("memory_units"));
    conventions.memory_ranks = read_convention_lines(fields.find("memory_ranks"));
    conventions.lengths = read_convention_lines(fields.find("lengths"));
    conventions.memory = read_convention_lines(fields.find("memory"));
    for (const Value& value : fields.find("recompute").list()) {
        conventions.recompute.push_back(read_recompute(value));
    }
    for (const Fields::Member& member : Fields(fields.find("recompute_words")).rest()) {
        conventions.recompute_words.push_back({member.key, read_matches(member.value)});
    }
    for (const Value& value : fields.find("settings").list()) {
        conventions.settings.push_back(read_settings(value));
    }
    fields.finish();
    throw_faults(document);
    return conventions;
}

RunConventions load_run_conventions(const std::string& path, const Location& where) {
    RunConventions conventions = read_run_conventions(load_document(path, path, where));
    look_beside(path, "frameworks", conventions.frameworks);
    look_beside(path, "memory", conventions.memory);
    return conventions;
}

RunConventions combined(RunConventions first, const RunConventions& then) {
    append(first.inputs, then.inputs);
    append(first.models, then.models);
    append(first.machines, then.machines);
    append(first.strategies, then.strategies);
    append(first.optimizers, then.optimizers);
    append(first.frameworks, then.frameworks);
    append(first.mechanisms, then.mechanisms);
    append(first.precision, then.precision);
    append(first.gradient_precision, then.gradient_precision);
    append(first.frozen_weights, then.frozen_weights);
    append(first.shard, then.shard);
    append(first.cuts, then.cuts);
    append(first.overlap, then.overlap);
    append(first.offload, then.offload);
    append(first.not_timed, then.not_timed);
    append(first.memory_units, then.memory_units);
    append(first.memory_ranks, then.memory_ranks);
    append(first.lengths, then.lengths);
    append(first.memory, then.memory);
    append(first.recompute_words, then.recompute_words);
    append(first.recompute, then.recompute);
    append(first.settings, then.settings);
    return first;
}

std::string filled(const std::string& text, const MeasuredRun& run) {
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t open = text.find('{', at);
        const std::size_t close = open == std::string::npos ? open : text.find('}', open);
        if (close == std::string::npos) {
            return result + text.substr(at);
        }
        result += text.substr(at, open - at) + run.cell(text.substr(open + 1, close - open - 1));
        at = close + 1;
    }
    return result;
}

}  // namespace dodona::files
