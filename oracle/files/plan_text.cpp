// Plans and strategies as YAML text: flow style, one key a line, every text in quotes that YAML could take for more.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/check.hpp"
#include "files/framework_file.hpp"
#include "files/plan_file.hpp"
#include "files/strategy_file.hpp"
#include "plan/recompute.hpp"

namespace dodona::files {

namespace {

using plan::Lay;
using plan::Plan;
using plan::RecomputeKind;
using plan::ScheduleKind;
using plan::Strategy;

bool is_plain(std::string_view text) {
    const auto is_word = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '+'; };
    constexpr std::string_view kMeaningful[] = {"null", "Null", "NULL", "true", "false"};
    return !text.empty() && std::isalpha(static_cast<unsigned char>(text[0])) != 0 &&
           std::all_of(text.begin(), text.end(), is_word) &&
           std::find(std::begin(kMeaningful), std::end(kMeaningful), text) == std::end(kMeaningful);
}

/// Any text as a YAML scalar on one line.
std::string scalar(std::string_view text) {
    if (is_plain(text)) {
        return std::string(text);
    }
    std::string quoted = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            quoted += '\\';
            quoted += c;
        } else if (c == '\n') {
            quoted += "\\n";
        } else if (byte < 0x20 || byte == 0x7F) {
            quoted += fmt::format("\\x{:02X}", byte);
        } else {
            quoted += c;
        }
    }
    return quoted + '"';
}

std::string scalars(const std::vector<std::string>& words) {
    std::vector<std::string> written;
    for (const std::string& word : words) {
        written.push_back(scalar(word));
    }
    return fmt::format("[{}]", join(written));
}

/// One word bare, several as a list.
std::string one_or_more(const std::vector<std::string>& words) {
    return words.size() == 1 ? scalar(words[0]) : scalars(words);
}

std::string lays(const std::vector<Lay>& lays) {
    std::vector<std::string> written;
    for (const Lay& lay : lays) {
        written.push_back(fmt::format("{}: {}", scalar(lay.dimension), one_or_more(lay.axes)));
    }
    return fmt::format("{{{}}}", join(written));
}

std::string match(const plan::Match& match) {
    std::vector<std::string> written;
    if (!match.kinds.empty()) {
        written.push_back(fmt::format("kind: {}", one_or_more(match.kinds)));
    }
    if (!match.roles.empty()) {
        written.push_back(fmt::format("role: {}", one_or_more(match.roles)));
    }
    if (!match.names.empty()) {
        written.push_back(fmt::format("name: {}", one_or_more(match.names)));
    }
    if (match.first) {
        written.push_back(fmt::format("first: {}", *match.first));
    }
    return fmt::format("{{{}}}", join(written));
}

std::string rule(const plan::Rule& rule) {
    std::vector<std::string> written{fmt::format("match: {}", match(rule.match))};
    if (rule.condition) {
        written.push_back(fmt::format("while: {}", scalar(rule.condition->text())));
    }
    written.push_back(fmt::format("lay: {}", lays(rule.lay)));
    if (rule.output) {
        written.push_back(fmt::format("output: {}", lays(*rule.output)));
    }
    if (rule.via == plan::Via::all_reduce_slice) {
        written.emplace_back("via: all-reduce+slice");
    }
    if (rule.regather) {
        written.emplace_back("regather: true");
    }
    if (!rule.stream.empty()) {
        written.push_back(fmt::format("stream: {}", one_or_more(rule.stream)));
    }
    if (rule.order == graph::ShardOrder::contiguous) {
        written.emplace_back("order: contiguous");
    }
    if (rule.optional) {
        written.emplace_back("optional: true");
    }
    return fmt::format("{{{}}}", join(written));
}

std::string folds(const std::vector<plan::FoldedAxis>& folds) {
    std::vector<std::string> written;
    for (const plan::FoldedAxis& fold : folds) {
        const std::string apart = fold.apart_from ? fmt::format(", apart_from: {}", scalar(*fold.apart_from)) : "";
        written.push_back(fmt::format("{}: {{of: {}{}}}", scalar(fold.name), scalars(fold.of), apart));
    }
    return fmt::format("{{{}}}", join(written));
}

std::string schedule(const Plan& plan) {
    std::string text = fmt::format("{{kind: {}", name(plan.schedule));
    if (plan.chunks > 1) {
        text += fmt::format(", chunks: {}", plan.chunks);
    }
    if (!plan.stages.empty()) {
        text += fmt::format(", stages: [{}]", fmt::join(plan.stages, ", "));
    }
    return text + "}";
}

std::string recompute(const Plan& plan) {
    if (plan.recompute == RecomputeKind::every) {
        return fmt::format("{{every: {}}}", plan.recompute_every);
    }
    if (plan.recompute == RecomputeKind::layers) {
        std::vector<std::string> layers;
        for (const plan::Match& layer : plan.recompute_layers) {
            const auto name = plan::layer_name(layer);
            layers.push_back(name ? scalar(*name) : match(layer));
        }
        return fmt::format("{{layers: [{}]}}", join(layers));
    }
    return std::string(name(plan.recompute));
}

std::string optimizer(const Plan& plan) {
    std::string text = fmt::format("{{kind: {}, shard: {}", name(plan.optimizer), name(plan.shard));
    if (plan.shard_group > 0) {
        text += fmt::format(", group: {}", plan.shard_group);
    }
    if (plan.keep_parameters) {
        text += ", keep_parameters: true";
    }
    return text + "}";
}

/// `strategy` is what stands after `strategy:`, line end included.
std::string plan_text(const Plan& plan, const std::string& title, const std::string& strategy) {
    std::vector<std::string> mesh;
    for (const plan::MeshAxis& axis : plan.mesh) {
        mesh.push_back(fmt::format("{}: {}", scalar(axis.name), axis.size));
    }
    std::string text = fmt::format("plan: {}\nmesh: {{{}}}\n", scalar(title), join(mesh));
    if (!plan.folds.empty()) {
        std::vector<std::string> folds;
        for (const plan::Fold& fold : plan.folds) {
            const auto& own = plan.strategy.folds;
            const bool known = std::any_of(own.begin(), own.end(),
                                           [&](const plan::FoldedAxis& axis) { return axis.name == fold.name; });
            folds.push_back(
                known ? fmt::format("{}: {}", scalar(fold.name), fold.size)
                      : fmt::format("{}: {{of: {}, size: {}}}", scalar(fold.name), scalars(fold.of), fold.size));
        }
        text += fmt::format("fold: {{{}}}\n", join(folds));
    }
    text += fmt::format("strategy:{}batch: {}\nmicrobatch: {}\nprecision: {}\n", strategy, plan.batch, plan.microbatch,
                        name(plan.precision));
    if (plan.gradient_precision) {
        text += fmt::format("gradient_precision: {}\n", name(*plan.gradient_precision));
    }
    text += fmt::format("schedule: {}\nrecompute: {}\noptimizer: {}\noverlap: [{}]\n", schedule(plan), recompute(plan),
                        optimizer(plan), join(words(plan.overlap)));
    if (plan.offload.any()) {
        text += fmt::format("offload: [{}]\n", join(words(plan.offload)));
    }
    if (plan.algorithm) {
        text += fmt::format("algorithm: {}\n", name(*plan.algorithm));
    }
    if (plan.framework.observed || (plan.framework.reference.empty() && !plan.framework.name.empty())) {
        text += "framework:\n" + framework_to_yaml(plan.framework, "  ");
    } else if (!plan.framework.reference.empty()) {
        text += fmt::format("framework: {}\n", scalar(plan.framework.reference));
    }
    return text;
}

}  // namespace

std::string strategy_to_yaml(const Strategy& strategy, const std::string& indent) {
    std::string text = fmt::format("{}strategy: {}\n", indent, scalar(strategy.name));
    const auto line = [&](const char* key, const std::string& value) {
        text += fmt::format("{}{}: {}\n", indent, key, value);
    };
    if (!strategy.source.empty()) {
        line("source", scalar(strategy.source));
    }
    if (!strategy.summary.empty()) {
        line("summary", scalar(strategy.summary));
    }
    line("axes", scalars(strategy.axes));
    if (!strategy.folds.empty()) {
        line("folds", folds(strategy.folds));
    }
    if (!strategy.everywhere.empty()) {
        line("everywhere", lays(strategy.everywhere));
    }
    if (strategy.pipeline) {
        line("pipeline", scalar(*strategy.pipeline));
    }
    if (strategy.split_boundaries) {
        line("split_boundaries", scalar(*strategy.split_boundaries));
    }
    if (!strategy.shard_axes.empty()) {
        line("shard", strategy.shard
                          ? fmt::format("{{axes: {}, level: {}}}", scalars(strategy.shard_axes), name(*strategy.shard))
                          : fmt::format("{{axes: {}}}", scalars(strategy.shard_axes)));
    }
    if (!strategy.rules.empty()) {
        text += fmt::format("{}rules:\n", indent);
        for (const plan::Rule& entry : strategy.rules) {
            text += fmt::format("{}  - {}\n", indent, rule(entry));
        }
    }
    return text;
}

std::string to_yaml(const Plan& plan, const std::string& title) {
    return plan_text(plan, title, "\n" + strategy_to_yaml(plan.strategy, "  "));
}

std::string to_yaml(const Plan& plan, const std::string& title, const std::string& strategy) {
    return plan_text(plan, title, fmt::format(" {}\n", scalar(strategy)));
}

}  // namespace dodona::files
