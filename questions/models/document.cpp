#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "base/ranges.hpp"
#include "questions/described.hpp"
#include "questions/models/models.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::questions::models {

namespace {

using namespace reports;

/// "9 conv, 9 batch_norm, 8 relu": operators of one instance, in order of first appearance.
std::string operator_counts(const graph::Graph& graph, const graph::Segment& segment) {
    std::vector<std::string> order;
    std::map<std::string, std::int64_t> counts;
    for (const graph::Vertex vertex : segment.layers) {
        const graph::Layer& layer = graph.layer(vertex);
        if (layer.kind == "input") {
            continue;
        }
        if (counts.find(layer.kind) == counts.end()) {
            order.push_back(layer.kind);
        }
        counts[layer.kind] += layer.count;
    }
    const auto parts =
        mapped<std::string>(order, [&](const std::string& kind) { return fmt::format("{} {}", counts[kind], kind); });
    return join(parts);
}

constexpr std::string_view kMixture = "Mixtures of experts (MoE)";
constexpr std::string_view kLanguage = "Language models";
constexpr std::string_view kVision = "Vision";
constexpr std::string_view kOther = "Others";

/// Kind of a model by its dimensions, for lists and searches.
std::string_view kind_of_model(const graph::Graph& graph) {
    const auto any_has = [&](std::string_view dimension) {
        return std::any_of(graph.layers.begin(), graph.layers.end(),
                           [&](const graph::Layer& layer) { return layer.nest.result.find(dimension).has_value(); });
    };
    const bool has_tokens = graph.layers.front().nest.result.find("sequence").has_value();
    if (any_has("expert")) {
        return kMixture;
    }
    return has_tokens ? kLanguage : any_has("width") ? kVision : kOther;
}

Table segment_table(const graph::Graph& graph) {
    Table table({{"block"}, {"times", Align::right}, {"operators of one"}});
    for (const graph::Segment& segment : graph.segments) {
        const std::string counts = operator_counts(graph, segment);
        if (!counts.empty()) {
            table.row({segment.name, Count{segment.count}, counts});
        }
    }
    return table;
}

KeyFigures model_figures(const graph::Graph& graph) {
    const graph::Counts counts = graph::count(graph);
    const std::string trained = counts.trained < counts.parameters
                                    ? fmt::format(", of which {} are trained ({})", whole(counts.trained),
                                                  percent(counts.trained / counts.parameters))
                                    : "";
    KeyFigures all{{{.label = "parameters",
                     .value = whole(counts.parameters),
                     .note = fmt::format("({}){}", large(counts.parameters), trained)},
                    {.label = "forward", .value = counts.forward_per_sample, .note = "per sample"},
                    {.label = "operators",
                     .value = Count{counts.layers},
                     .note = fmt::format("({} distinct)", whole(counts.distinct_layers))}}};
    if (graph.dataset.samples) {
        all.figures.push_back(
            {.label = "data set",
             .value = whole(*graph.dataset.samples),
             .note = "samples" + (graph.dataset.sample_bytes ? " of " + text(*graph.dataset.sample_bytes) : "")});
    }
    all.figures.push_back({.label = "source", .value = graph.source});
    return all;
}

Document counted_model(const graph::Graph& graph) {
    return answer_document(Answer{graph.name, graph::count(graph), graph.source});
}

}  // namespace

Document document(const graph::Graph& graph) {
    Document document = counted_model(graph);
    add(document, Headline{graph.name});
    add(document, model_figures(graph));
    Table table = segment_table(graph);
    constexpr std::size_t kMaxShown = 24;
    if (table.rows.size() > kMaxShown) {
        add_section(document, {.title = "Blocks", .detail = true}, {std::move(table)});
    } else {
        add(document, std::move(table));
    }
    return document;
}

std::string facts(const graph::Graph& graph) {
    return fmt::format("{} {} {}", graph.name, kind_of_model(graph), graph.source);
}

std::string kinds() { return fmt::format("{} {} {} {}", kMixture, kLanguage, kVision, kOther); }

Document list(const std::vector<graph::Graph>& graphs) {
    Document document;
    std::map<std::string, Table> kinds;
    std::vector<Record>& rows = document.rows.emplace();
    for (const graph::Graph& graph : graphs) {
        const Table titles({{"model"},
                            {"parameters", Align::right},
                            {"trained", Align::right},
                            {"forward per sample", Align::right},
                            {"operators", Align::right},
                            {"distinct", Align::right}});
        const graph::Counts counts = graph::count(graph);
        kinds.try_emplace(std::string(kind_of_model(graph)), titles)
            .first->second.row({graph.name, Large{counts.parameters},
                                Percent{counts.trained / std::max(1.0, counts.parameters)}, counts.forward_per_sample,
                                Count{counts.layers}, Count{counts.distinct_layers}});
        rows.push_back(counted_model(graph).record);
    }
    document.record = {{"schema", "dodona/models/1"}, {"models", rows}};
    for (auto& [kind, table] : kinds) {
        add_section(document, {kind}, {std::move(table)});
    }
    return document;
}

}  // namespace dodona::questions::models
