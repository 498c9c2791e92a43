#include "reports/model.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "reports/figures.hpp"

namespace dodona::reports {

namespace {

/// "9 conv, 9 batch_norm, 8 relu": operators of one instance, in order of first appearance.
std::string operators(const graph::Graph& graph, const graph::Segment& unit) {
    std::vector<std::string> order;
    std::map<std::string, std::int64_t> counts;
    for (const graph::Vertex vertex : unit.layers) {
        const graph::Layer& layer = graph.layer(vertex);
        if (layer.kind == "input") {
            continue;
        }
        if (counts.find(layer.kind) == counts.end()) {
            order.push_back(layer.kind);
        }
        counts[layer.kind] += layer.count;
    }
    std::vector<std::string> words;
    for (const std::string& kind : order) {
        words.push_back(fmt::format("{} {}", counts[kind], kind));
    }
    return join(words);
}

Table unit_table(const graph::Graph& graph) {
    Table table({{"unit"}, {"times", Align::right}, {"operators of one"}});
    for (const graph::Segment& unit : graph.segments) {
        const std::string words = operators(graph, unit);
        if (!words.empty()) {
            table.row({unit.name, std::to_string(unit.count), words});
        }
    }
    return table;
}

std::vector<std::string> facts(const graph::Graph& graph) {
    const graph::Counts counts = graph::count(graph);
    const std::string trained = counts.trained < counts.parameters
                                    ? fmt::format(", of which {} are trained ({})", whole(counts.trained),
                                                  percent(counts.trained / counts.parameters))
                                    : "";
    std::vector<std::string> lines{
        fmt::format("{} parameters ({}){}", whole(counts.parameters), large(counts.parameters), trained),
        fmt::format("{} forward per sample", text(counts.forward_per_sample)),
        fmt::format("{}, {} distinct", counted(counts.layers, "layer"),
                    whole(static_cast<double>(counts.distinct_layers)))};
    if (graph.dataset.samples) {
        lines.push_back(fmt::format("data set: {} samples{}", whole(*graph.dataset.samples),
                                    graph.dataset.sample_bytes ? " of " + text(*graph.dataset.sample_bytes) : ""));
    }
    lines.push_back("source: " + graph.source);
    return lines;
}

}  // namespace

Record model_record(const graph::Graph& graph) {
    const graph::Counts counts = graph::count(graph);
    return {{"schema", "dodona/model/1"},
            {"name", graph.name},
            {"parameters", counts.parameters},
            {"trained_parameters", counts.trained},
            {"forward_flops_per_sample", counts.forward_per_sample},
            {"distinct_layers", counts.distinct_layers},
            {"layers", counts.layers},
            {"source", graph.source}};
}

std::string model_text(const graph::Graph& graph, Style style) {
    std::string all = painted(style, Paint::bold, graph.name) + "\n";
    for (const std::string& line : facts(graph)) {
        all += "  " + wrapped(line, 96, "  ") + "\n";
    }
    return all + "\n" + unit_table(graph).to_text(style);
}

std::string model_markdown(const graph::Graph& graph) {
    std::string all = "**" + graph.name + "**\n\n";
    for (const std::string& line : facts(graph)) {
        all += "- " + line + "\n";
    }
    return all + "\n" + unit_table(graph).to_markdown();
}

Record models_record(const std::vector<graph::Graph>& graphs) {
    Record document{{"schema", "dodona/models/1"}, {"models", no_elements()}};
    for (const graph::Graph& graph : graphs) {
        document["models"].push_back(model_record(graph));
    }
    return document;
}

Table models_table(const std::vector<graph::Graph>& graphs) {
    Table table({{"model"},
                 {"parameters", Align::right},
                 {"trained", Align::right},
                 {"forward per sample", Align::right},
                 {"layers", Align::right},
                 {"distinct", Align::right}});
    for (const graph::Graph& graph : graphs) {
        const graph::Counts counts = graph::count(graph);
        table.row({graph.name, large(counts.parameters), percent(counts.trained / std::max(1.0, counts.parameters)),
                   text(counts.forward_per_sample), whole(static_cast<double>(counts.layers)),
                   whole(static_cast<double>(counts.distinct_layers))});
    }
    return table;
}

}  // namespace dodona::reports
