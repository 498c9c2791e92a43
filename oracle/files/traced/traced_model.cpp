#include "files/traced/traced_model.hpp"

#include <map>
#include <set>

#include <fmt/format.h>

#include "base/printable.hpp"
#include "base/ranges.hpp"
#include "files/blocks.hpp"
#include "files/number.hpp"
#include "files/traced/fused.hpp"
#include "files/traced/onnx_file.hpp"
#include "files/traced/repeats.hpp"
#include "files/traced/roles.hpp"
#include "files/traced/torch_file.hpp"
#include "files/traced/traced_layers.hpp"
#include "files/traced/traced_onnx.hpp"
#include "files/traced/traced_torch.hpp"
#include "files/traced/well_formed.hpp"

namespace dodona::files {

namespace {

/// Layers and blocks as the text of a model file.
class TracedText {
public:
    explicit TracedText(const TracedLayers& traced)
        : layers_(traced.layers), repeats_(repeats_of(traced.layers)), names_(traced.layers.size()) {
        name_layers();
    }

    [[nodiscard]] std::string body() const {
        std::string blocks;
        std::string lines;
        std::size_t before = layers_.size();  // the entry before, as the layer that its result is of
        for (std::size_t i = 0; i < repeats_.size(); ++i) {
            const RepeatedLayers& repeat = repeats_[i];
            if (repeat.count == 1) {
                lines += "  " + entry(repeat.start, {.start = 0}, before);
                before = repeat.start;
                continue;
            }
            blocks += fmt::format("  {}:\n    layers:\n", blocks_.at(i));
            for (std::size_t at = repeat.start; at < repeat.start + repeat.length; ++at) {
                blocks += "      " + entry(at, repeat, at == repeat.start ? repeat.start - 1 : at - 1);
            }
            const std::size_t reads = repeat.start - 1;
            lines += fmt::format("  - {{name: {}, block: {}, {}repeat: {}}}\n", groups_.at(i), blocks_.at(i),
                                 reads == before ? "" : fmt::format("from: {}, ", outer_name(reads)), repeat.count);
            before = repeat.end() - 1;
        }
        return fmt::format("input:\n{}\n{}{}layers:\n{}", inputs(), blocks.empty() ? "" : "blocks:\n",
                           blocks.empty() ? "" : blocks + "\n", lines);
    }

private:
    void name_layers() {
        std::set<std::string> outer;
        for (std::size_t i = 0; i < layers_.size(); ++i) {
            if (layers_[i].is_input()) {
                names_[i] = unused(layers_[i].name, outer);
            }
        }
        const auto blocks =
            sum_of<std::size_t>(repeats_, [](const RepeatedLayers& repeat) { return repeat.count > 1 ? 1 : 0; });
        std::size_t number = 0;
        for (std::size_t i = 0; i < repeats_.size(); ++i) {
            if (repeats_[i].count > 1) {
                const std::string suffix = blocks == 1 ? "" : std::to_string(++number);
                blocks_[i] = "block" + suffix;
                groups_[i] = unused("layers" + suffix, outer);
            }
        }
        std::vector<std::size_t> own;
        for (const RepeatedLayers& repeat : repeats_) {
            if (repeat.count == 1) {
                own.push_back(repeat.start);
                continue;
            }
            std::vector<std::size_t> inner;
            for (std::size_t at = repeat.start; at < repeat.start + repeat.length; ++at) {
                inner.push_back(at);
            }
            std::set<std::string> taken{"input"};
            name_list(inner, taken);
        }
        name_list(own, outer);
    }

    /// Names of a list that are given more than once are counted.
    void name_list(const std::vector<std::size_t>& list, std::set<std::string>& taken) {
        std::map<std::string, int> times;
        for (const std::size_t layer : list) {
            ++times[layers_[layer].name];
        }
        std::map<std::string, int> number;
        for (const std::size_t layer : list) {
            const std::string& name = layers_[layer].name;
            names_[layer] = unused(times[name] == 1 ? name : fmt::format("{}{}", name, ++number[name]), taken);
        }
    }

    static std::string unused(const std::string& name, std::set<std::string>& taken) {
        std::string candidate = name;
        for (int i = 2; !taken.insert(candidate).second; ++i) {
            candidate = fmt::format("{}_{}", name, i);
        }
        return candidate;
    }

    /// What the list around all blocks calls a layer's result.
    [[nodiscard]] std::string outer_name(std::size_t layer) const {
        for (std::size_t i = 0; i < repeats_.size(); ++i) {
            if (repeats_[i].count > 1 && layer >= repeats_[i].start && layer < repeats_[i].end()) {
                return groups_.at(i);
            }
        }
        return names_[layer];
    }

    [[nodiscard]] std::string name_in(const RepeatedLayers& list, std::size_t layer) const {
        if (list.count == 1) {
            return outer_name(layer);
        }
        return layer < list.start ? "input" : names_[layer];
    }

    [[nodiscard]] std::string entry(std::size_t at, const RepeatedLayers& list, std::size_t before) const {
        const TracedLayer& layer = layers_[at];
        std::string text = fmt::format("- {{name: {}, op: {}", names_[at], layer.op);
        const auto from =
            mapped<std::string>(layer.from, [&](const std::size_t other) { return name_in(list, other); });
        if (from.size() > 1) {
            text += fmt::format(", from: [{}]", join(from));
        } else if (layer.from.size() == 1 && layer.from[0] != before) {
            text += fmt::format(", from: {}", from[0]);
        }
        for (const auto& [key, value] : layer.attributes) {
            const bool is_tied = key == "tied" && value.starts_with('#');
            text += fmt::format(", {}: {}", key, is_tied ? tied_name(value) : value);
        }
        return text + "}\n";
    }

    /// `#N`: layer N.
    [[nodiscard]] std::string tied_name(const std::string& value) const {
        const auto number = whole_from(std::string_view(value).substr(1));
        const auto* layer = std::get_if<std::int64_t>(&number);
        return layer == nullptr ? value : names_[static_cast<std::size_t>(*layer)];
    }

    [[nodiscard]] std::string inputs() const {
        std::string text;
        for (std::size_t i = 0; i < layers_.size(); ++i) {
            if (!layers_[i].is_input()) {
                continue;
            }
            auto parts = mapped<std::string>(layers_[i].result, [](const TracedDimension& dimension) {
                return fmt::format("{}: {}", dimension.name,
                                   dimension.symbol.empty() ? std::to_string(dimension.extent) : dimension.symbol);
            });
            if (layers_[i].is_index) {
                parts.emplace_back("element: index");
            }
            text += fmt::format("  {}: {{{}}}\n", names_[i], join(parts));
        }
        return text;
    }

    const std::vector<TracedLayer>& layers_;
    std::vector<RepeatedLayers> repeats_;
    std::vector<std::string> names_;
    std::map<std::size_t, std::string> blocks_;  ///< of each repeat
    std::map<std::size_t, std::string> groups_;  ///< its entry
};

std::string source_text(const TracedGraph& graph, const std::string& format) {
    std::string text = fmt::format("{}, {}", graph.name, format);
    for (std::size_t at = 0; (at = text.find_first_of("\"\\", at)) != std::string::npos; at += 2) {
        text.insert(at, "\\");
    }
    return printable_line(text);
}

std::string parameters_text(const TracedGraph& graph, const TracedLayers& layers) {
    std::string text = concatenated(graph.symbols, [](const TracedSymbol& symbol) {
        return fmt::format("  {}: {}\n", symbol.name, symbol.extent);
    });
    text += layers.has_attention ? "  attention: fused\n" : "";
    return text.empty() ? "" : "parameters:\n" + text + "\n";
}

/// Whole numbers among the settings, which may be extents that the file leaves open.
GivenExtents extents_of(std::span<const Setting> settings) {
    GivenExtents given;
    for (const Setting& setting : settings) {
        const auto number = whole_from(setting.value);
        const auto* extent = std::get_if<std::int64_t>(&number);
        if (extent != nullptr && *extent >= 1 && *extent <= kMaxExtent) {
            given[setting.name] = *extent;
        }
    }
    return given;
}

}  // namespace

bool is_onnx(const std::string& path) { return path.ends_with(".onnx"); }

ImportedModel import_traced(TracedGraph graph, const std::string& name, const std::string& format) {
    const TracedGraph whole = fused(with_well_formed_nodes(std::move(graph)));
    TracedLayers layers = layers_of(whole);
    add_roles(layers.layers);
    ImportedModel model;
    model.text = fmt::format("model: {}\nsource: \"{}\"\n\n{}{}", name, source_text(whole, format),
                             parameters_text(whole, layers), TracedText(layers).body());
    model.parameters = layers.parameters;
    if (!layers.taken.empty()) {
        model.notes.push_back("taken as others: " + join(layers.taken));
    }
    if (layers.left_out > 0) {
        model.notes.push_back(fmt::format("{} passes with a constant are left out", layers.left_out));
    }
    return model;
}

ImportedModel import_onnx(const std::filesystem::path& path, const std::string& name, std::span<const Setting> settings,
                          const Location& where) {
    const OnnxGraph graph = load_onnx(path, path.lexically_normal().generic_string(), where);
    const Location file{.source = std::make_shared<const Source>(
                            Source{.name = path.lexically_normal().generic_string(), .lines = {}})};
    const std::string format = fmt::format("ONNX, operators of version {}{}", graph.version,
                                           graph.producer.empty() ? "" : ", written by " + graph.producer);
    return import_traced(traced_onnx(graph, file, extents_of(settings)), name, format);
}

ImportedModel import_torch(Document document, const std::string& name) {
    const Location file{.source = document.source};
    const TorchGraph graph = read_torch_graph(std::move(document));
    return import_traced(traced_torch(graph, file), name, "a graph of PyTorch " + graph.version);
}

}  // namespace dodona::files
