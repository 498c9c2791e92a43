#include "reports/strategy.hpp"

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "plan/plan.hpp"

namespace dodona::reports {

namespace {

std::string lay_words(const std::vector<plan::Lay>& lays) {
    std::vector<std::string> words;
    for (const plan::Lay& lay : lays) {
        words.push_back(fmt::format("{} on {}", lay.dimension, join(lay.axes, " and ")));
    }
    return words.empty() ? "replicated" : join(words);
}

std::string match_words(const plan::Match& match) {
    std::vector<std::string> words;
    const auto add = [&words](std::string_view what, const std::vector<std::string>& values) {
        if (!values.empty()) {
            words.push_back(fmt::format("{} {}", what, join(values, " or ")));
        }
    };
    add("kind", match.kinds);
    add("role", match.roles);
    add("name", match.names);
    if (match.first) {
        words.emplace_back(*match.first ? "before anything trained" : "after something trained");
    }
    return words.empty() ? "every layer" : join(words);
}

std::vector<std::string> facts(const plan::Strategy& strategy) {
    std::vector<std::string> lines{strategy.summary, "axes: " + join(strategy.axes)};
    for (const plan::FoldedAxis& fold : strategy.folds) {
        lines.push_back(fmt::format("axis {}: on ranks of {}{}", fold.name, join(fold.of, " and "),
                                    fold.apart_from ? " that " + *fold.apart_from + " leaves" : ""));
    }
    if (!strategy.everywhere.empty()) {
        lines.push_back("every layer: " + lay_words(strategy.everywhere));
    }
    for (const plan::Rule& rule : strategy.rules) {
        lines.push_back(rule_words(rule));
    }
    if (strategy.pipeline) {
        lines.push_back("stages of layers on " + *strategy.pipeline);
    }
    if (!strategy.shard_axes.empty()) {
        lines.push_back(
            fmt::format("states may be sharded over {}{}", join(strategy.shard_axes, " and "),
                        strategy.shard ? fmt::format("; by default: {}", plan::name(*strategy.shard)) : ""));
    }
    lines.push_back("source: " + strategy.source);
    return lines;
}

}  // namespace

std::string rule_words(const plan::Rule& rule) {
    std::string words = match_words(rule.match) + ": " + lay_words(rule.lay);
    if (rule.condition) {
        words += " while " + rule.condition->text();
    }
    if (rule.output) {
        words += "; output " + lay_words(*rule.output);
        words += rule.via == plan::Via::all_reduce_slice ? " by all-reduce and slice" : "";
    }
    words += rule.regather ? "; inputs gathered again in backward" : "";
    words += rule.stream.empty() ? "" : "; inputs go round " + join(rule.stream, " and ") + " in blocks";
    words += rule.order == graph::ShardOrder::contiguous ? "; contiguous shards" : "";
    return words;
}

namespace {

Record folds_record(const plan::Strategy& strategy) {
    Record folds = no_fields();
    for (const plan::FoldedAxis& fold : strategy.folds) {
        folds[fold.name] = fold.of;
    }
    return folds;
}

}  // namespace

Record rules_record(const plan::Strategy& strategy) {
    Record rules = no_elements();
    for (const plan::Rule& rule : strategy.rules) {
        rules.push_back(rule_words(rule));
    }
    return rules;
}

Record strategy_record(const plan::Strategy& strategy) {
    return {{"schema", "dodona/strategy/1"},
            {"name", strategy.name},
            {"summary", strategy.summary},
            {"axes", strategy.axes},
            {"folds", folds_record(strategy)},
            {"pipeline", strategy.pipeline ? Record(*strategy.pipeline) : Record()},
            {"shard_axes", strategy.shard_axes},
            {"shard", strategy.shard ? Record(plan::name(*strategy.shard)) : Record()},
            {"rules", rules_record(strategy)},
            {"source", strategy.source}};
}

std::string strategy_text(const plan::Strategy& strategy, Style style) {
    std::string all = painted(style, Paint::bold, strategy.name) + "\n";
    for (const std::string& line : facts(strategy)) {
        all += "  " + wrapped(line, 96, "    ") + "\n";
    }
    return all;
}

std::string strategy_markdown(const plan::Strategy& strategy) {
    std::string all = "**" + strategy.name + "**\n\n";
    for (const std::string& line : facts(strategy)) {
        all += "- " + line + "\n";
    }
    return all;
}

Record strategies_record(const std::vector<plan::Strategy>& strategies) {
    Record document{{"schema", "dodona/strategies/1"}, {"strategies", no_elements()}};
    for (const plan::Strategy& strategy : strategies) {
        document["strategies"].push_back(strategy_record(strategy));
    }
    return document;
}

Table strategies_table(const std::vector<plan::Strategy>& strategies) {
    Table table({{"strategy"}, {"axes"}, {"what it does"}});
    for (const plan::Strategy& strategy : strategies) {
        table.row({strategy.name, join(strategy.axes), strategy.summary});
    }
    return table;
}

}  // namespace dodona::reports
