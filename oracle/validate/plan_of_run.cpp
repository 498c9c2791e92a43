#include "validate/plan_of_run.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/ranges.h>

#include "base/ranges.hpp"
#include "plan/recompute.hpp"

namespace dodona::validate {

namespace {

/// A cell that the table's reader has found to be a count.
std::int64_t count(const files::MeasuredRun& run, const std::string& column) {
    std::int64_t value = 0;
    const std::string& text = run.cell(column);
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

std::int64_t blocks_of(const graph::Graph& graph) {
    std::int64_t blocks = 0;
    for (const graph::Segment& unit : graph.segments) {
        blocks += unit.block.empty() ? 0 : unit.count;
    }
    return blocks;
}

void lay_mesh(const files::MeasuredRun& run, const files::RunStrategy& line, plan::Plan& plan) {
    for (const files::RunStrategy::Axis& axis : line.mesh) {
        plan.mesh.push_back({axis.name, count(run, axis.column)});
    }
    plan.fold_axes();
    if (plan.devices() != run.gpus) {
        fail(run.place("gpus"), fmt::format("gpus: the layout makes {}, the run has {}", plan.devices(), run.gpus));
    }
}

/// The first line that matches; nothing where none does.
std::optional<Precision> precision_of(const files::MeasuredRun& run, const std::vector<files::ConventionLine>& words) {
    const files::ConventionLine* word = first_match(run, words);
    if (word == nullptr) {
        return std::nullopt;
    }
    const auto precision = precision_from(word->word);
    if (!precision) {
        fail(word->where, fmt::format("unknown precision \"{}\"", word->word));
    }
    return precision;
}

void set_precision(const files::MeasuredRun& run, const files::RunConventions& conventions, plan::Plan& plan) {
    plan.precision = precision_of(run, conventions.precision).value_or(run.precision);
    plan.gradient_precision = precision_of(run, conventions.gradient_precision);
}

void set_optimizer(const files::MeasuredRun& run, const files::RunConventions& conventions, plan::Plan& plan) {
    const files::ConventionLine* word = first_match(run, conventions.optimizers);
    const auto kind = word == nullptr ? std::nullopt : plan::optimizer_from(word->word);
    if (!kind) {
        fail(run.place("model"), word == nullptr ? std::string("no optimizer is known for it")
                                                 : fmt::format("optimizer \"{}\" is not known", word->word));
    }
    plan.optimizer = *kind;
}

void set_sharding(const files::MeasuredRun& run, const files::RunConventions& conventions, plan::Plan& plan) {
    plan.shard = run.shard;
    if (const files::ConventionLine* word = first_match(run, conventions.shard)) {
        const auto shard = value_of<plan::ShardLevel>(word->word);
        if (!shard) {
            fail(word->where, fmt::format("unknown sharding \"{}\"", word->word));
        }
        plan.shard = *shard;
    }
    if (plan.shard == plan::ShardLevel::none || run.shard_group == 0) {
        return;
    }
    // Ranks that hold the same dense weights; those of experts have fewer copies, whatever the group.
    const std::int64_t all = count(run, "data") * count(run, "context");
    if (run.shard_group > all) {
        fail(run.place("shard_group"),
             fmt::format("shard_group: {} is more than the {} ranks that hold the same weights", run.shard_group, all));
    }
    plan.shard_group = run.shard_group < all ? run.shard_group : 0;
}

/// "selective:[mla_up_proj+mlp]" -> {mla_up_proj, mlp}, "selective (op)" -> {op}.
std::vector<std::string> recompute_words(std::string_view text) {
    std::vector<std::string> words;
    const std::size_t open = text.find_first_of(":(");
    if (open == std::string_view::npos) {
        return words;
    }
    std::string word;
    for (const char c : text.substr(open + 1)) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
            word += c;
        } else if (!word.empty()) {
            words.push_back(std::exchange(word, {}));
        }
    }
    if (!word.empty()) {
        words.push_back(word);
    }
    return words;
}

/// The layers of all words of a run that the network has; none where a word is unknown.
std::vector<plan::Match> layers_of_words(const files::MeasuredRun& run, const files::RunConventions& conventions,
                                         const graph::Graph& graph) {
    std::vector<plan::Match> layers;
    for (const std::string& word : recompute_words(run.recompute)) {
        const auto& known = conventions.recompute_words;
        const auto* found = found_in(known, [&](const auto& each) { return each.word == word; });
        if (found == nullptr) {
            return {};
        }
        layers.insert(layers.end(), found->layers.begin(), found->layers.end());
    }
    std::erase_if(layers, [&](const plan::Match& layer) {
        plan::Plan only;
        only.recompute = plan::RecomputeKind::layers;
        only.recompute_layers = {layer};
        return !plan::unmatched_layers(graph, only).empty();
    });
    return layers;
}

/// Layers by name where the conventions say what the run's word means; else the word itself.
void set_recompute(const files::MeasuredRun& run, const files::RunConventions& conventions, const graph::Graph& graph,
                   plan::Plan& plan) {
    const auto& lines = conventions.recompute;
    const auto line = std::find_if(lines.begin(), lines.end(),
                                   [&](const files::RunRecompute& entry) { return entry.when.holds(run); });
    if (line != lines.end()) {
        plan.recompute = plan::RecomputeKind::layers;
        plan.recompute_layers = line->layers;
        return;
    }
    if (std::vector<plan::Match> layers = layers_of_words(run, conventions, graph); !layers.empty()) {
        plan.recompute = plan::RecomputeKind::layers;
        plan.recompute_layers = std::move(layers);
        return;
    }
    const auto kind = plan::recompute_from(run.recompute);
    if (!kind || *kind == plan::RecomputeKind::every || *kind == plan::RecomputeKind::layers) {
        fail(run.place("recompute"),
             fmt::format("recompute: \"{}\" cannot be expressed: none, selective (attention's core) and full can, and "
                         "the layers of a line under recompute: in the conventions",
                         run.recompute));
    }
    plan.recompute = *kind;
}

/// Sets the flags that lines about a run name.
template <class Flags, std::size_t N>
void set_flags(const files::MeasuredRun& run, const std::vector<files::ConventionLine>& lines,
               const std::array<plan::FlagName<Flags>, N>& names, Flags& flags) {
    for (const files::ConventionLine& line : lines) {
        if (!line.when.holds(run)) {
            continue;
        }
        const auto* name = found_in(names, [&](const auto& each) { return each.word == line.word; });
        if (name == nullptr) {
            std::vector<std::string_view> words;
            std::transform(names.begin(), names.end(), std::back_inserter(words),
                           [](const auto& each) { return each.word; });
            fail(line.where, fmt::format("\"{}\" is not one of {}", line.word, fmt::join(words, ", ")));
        }
        flags.*(name->member) = true;
    }
}

void set_overlap(const files::MeasuredRun& run, const files::RunConventions& conventions, plan::Plan& plan) {
    plan.overlap.gradients = run.overlap_gradients;
    plan.overlap.parameters = run.overlap_parameters;
    set_flags(run, conventions.overlap, plan::kOverlapNames, plan.overlap);
}

double multiplied_weights(const graph::Graph& graph, const graph::Segment& segment) {
    double elements = 0;
    for (const graph::Vertex v : segment.layers) {
        const graph::Layer& layer = graph.layer(v);
        const bool multiplies = layer.nest.work(layer.nest.whole()).model_forward > Flop{};
        for (const graph::Weight& weight : layer.nest.weights) {
            const bool is_matrix = multiplies && weight.dimensions.size() > 1;
            elements += is_matrix ? static_cast<double>(layer.count) * weight.elements() : 0;
        }
    }
    return elements;
}

std::vector<std::int64_t> stages_of(const files::MeasuredRun& run, const files::RunConventions& conventions,
                                    const graph::Graph& graph) {
    const std::int64_t stages = run.pipeline * run.virtual_stages;
    const files::ConventionLine* const word = first_match(run, conventions.cuts);
    if (word == nullptr || word->word == "blocks") {
        return stage_sizes(blocks_of(graph), stages);
    }
    if (word->word != "weights") {
        fail(word->where, fmt::format("\"{}\" is no cut of a pipeline: blocks and weights are", word->word));
    }
    return stages > 1 && stages <= blocks_of(graph) ? stages_by_weights(graph, stages)
                                                    : stage_sizes(blocks_of(graph), stages);
}

/// A stage before the last that would hold the head alone takes a block of the nearest stage before it with two.
void give_each_a_block(std::vector<std::int64_t>& blocks) {
    for (std::size_t stage = 1; stage + 1 < blocks.size(); ++stage) {
        const auto here = blocks.rbegin() + static_cast<std::ptrdiff_t>(blocks.size() - stage);
        const auto giver = std::find_if(here, blocks.rend(), [](std::int64_t count) { return count > 1; });
        if (blocks[stage] == 0 && giver != blocks.rend()) {
            --*giver;
            ++blocks[stage];
        }
    }
}

/// What rows may have under `strategy`.
std::set<std::string> strategy_words(const files::RunConventions& conventions) {
    std::set<std::string> words;
    for (const files::RunStrategy& line : conventions.strategies) {
        for (const files::RunCondition::Column& column : line.when.columns) {
            if (column.name == "strategy") {
                words.insert(column.patterns.begin(), column.patterns.end());
            }
        }
    }
    return words;
}

}  // namespace

const files::ConventionLine* first_match(const files::MeasuredRun& run,
                                         const std::vector<files::ConventionLine>& words) {
    return found_in(words, [&](const files::ConventionLine& word) { return word.when.holds(run); });
}

const files::RunStrategy& strategy_line(const files::MeasuredRun& run, const files::RunConventions& conventions) {
    for (const files::RunStrategy& line : conventions.strategies) {
        if (!line.when.holds(run)) {
            continue;
        }
        if (!line.refusal.empty()) {
            fail(run.place("strategy"),
                 fmt::format("strategy: {} cannot be expressed: {}", run.cell("strategy"), line.refusal));
        }
        return line;
    }
    const std::set<std::string> known = strategy_words(conventions);
    const std::string& word = run.cell("strategy");
    fail(run.place("strategy"), known.contains(word) ? fmt::format("strategy: \"{}\" in this layout is not known", word)
                                                     : fmt::format("strategy: \"{}\" is not known; these are: {}", word,
                                                                   fmt::join(known, ", ")));
}

std::vector<std::int64_t> stage_sizes(std::int64_t blocks, std::int64_t stages) {
    if (stages > 1 && blocks % stages == 0) {
        return std::vector<std::int64_t>(static_cast<std::size_t>(stages), blocks / stages);
    }
    if (stages == 1 || (blocks + 2) % stages != 0) {
        return {};
    }
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(stages), (blocks + 2) / stages);
    --sizes.front();
    --sizes.back();
    return sizes;
}

std::vector<std::int64_t> stages_by_weights(const graph::Graph& graph, std::int64_t stages) {
    double whole = 0;
    for (const graph::Segment& segment : graph.segments) {
        whole += static_cast<double>(segment.count) * multiplied_weights(graph, segment);
    }
    std::vector<std::int64_t> blocks(static_cast<std::size_t>(stages), 0);
    std::size_t stage = 0;
    double so_far = 0;
    for (const graph::Segment& segment : graph.segments) {
        const double weights = multiplied_weights(graph, segment);
        for (std::int64_t i = 0; i < segment.count; ++i) {
            blocks[stage] += segment.is_block() ? 1 : 0;
            so_far += weights;
            const double share = static_cast<double>(stage + 1) / static_cast<double>(stages);
            if (so_far > share * whole && stage + 1 < blocks.size()) {
                ++stage;
            }
        }
    }
    give_each_a_block(blocks);
    return blocks;
}

plan::Plan plan_of(const files::MeasuredRun& run, const files::RunConventions& conventions,
                   const files::RunStrategy& line, plan::Strategy strategy, const graph::Graph& graph) {
    plan::Plan plan;
    plan.strategy = std::move(strategy);
    lay_mesh(run, line, plan);
    plan.batch = run.global_batch;
    plan.microbatch = run.microbatch;
    plan.virtual_stages = run.virtual_stages;
    plan.schedule =
        run.virtual_stages > 1 ? plan::ScheduleKind::interleaved : plan::ScheduleKind::one_forward_one_backward;
    plan.stages = stages_of(run, conventions, graph);
    set_precision(run, conventions, plan);
    set_optimizer(run, conventions, plan);
    set_sharding(run, conventions, plan);
    set_recompute(run, conventions, graph, plan);
    set_overlap(run, conventions, plan);
    set_flags(run, conventions.offload, plan::kOffloadNames, plan.offload);
    if (line.algorithm) {
        plan.algorithm = cluster::algorithm_from(*line.algorithm);
        if (!plan.algorithm) {
            fail(run.place("strategy"),
                 fmt::format("strategy: no collective algorithm \"{}\" is known", *line.algorithm));
        }
    }
    return plan;
}

}  // namespace dodona::validate
