#include "reports/collect/strategy_report.hpp"

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "base/ranges.hpp"
#include "files/strategy_file.hpp"
#include "plan/plan.hpp"
#include "reports/collect/described_record.hpp"
#include "reports/collect/plan_summary.hpp"

namespace dodona::reports {

namespace {

std::string sharding_text(const std::vector<plan::Lay>& lays) {
    auto parts = mapped<std::string>(
        lays, [](const plan::Lay& lay) { return fmt::format("{} on {}", lay.dimension, join(lay.axes, " and ")); });
    return parts.empty() ? "replicated" : join(parts);
}

std::string match_text(const plan::Match& match) {
    std::vector<std::string> parts;
    const auto add = [&parts](std::string_view what, const std::vector<std::string>& values) {
        if (!values.empty()) {
            parts.push_back(fmt::format("{} {}", what, join(values, " or ")));
        }
    };
    add("kind", match.kinds);
    add("role", match.roles);
    add("name", match.names);
    if (match.first) {
        parts.emplace_back(*match.first ? "before anything trained" : "after something trained");
    }
    return parts.empty() ? "every layer" : join(parts);
}

KeyFigures strategy_figures(const plan::Strategy& strategy) {
    KeyFigures all{{{.label = "axes", .value = join(strategy.axes), .note = {}}}};
    const auto add_line = [&all](std::string label, std::string line) {
        all.figures.push_back({.label = std::move(label), .value = std::move(line), .note = {}});
    };
    for (const plan::FoldedAxis& fold : strategy.folds) {
        add_line("axis " + fold.name,
                 fmt::format("on ranks of {}{}", join(fold.of, " and "),
                             fold.apart_from ? fmt::format(", those that {} leaves", *fold.apart_from) : ""));
    }
    if (strategy.pipeline) {
        add_line("stages", "layers in stages on " + *strategy.pipeline);
    }
    if (!strategy.shard_axes.empty()) {
        add_line("ZeRO", fmt::format("over {}{}", join(strategy.shard_axes, " and "),
                                     strategy.shard ? fmt::format("; default: {}", zero_text(*strategy.shard)) : ""));
    }
    add_line("source", strategy.source);
    return all;
}

Record folds_record(const plan::Strategy& strategy) {
    Record folds = no_fields();
    for (const plan::FoldedAxis& fold : strategy.folds) {
        folds[fold.name] = fold.of;
    }
    return folds;
}

Record strategy_record(const plan::Strategy& strategy) {
    return {
        {"schema", "dodona/strategy/1"},     {"name", strategy.name},
        {"summary", strategy.summary},       {"axes", strategy.axes},
        {"folds", folds_record(strategy)},   {"pipeline", strategy.pipeline ? Record(*strategy.pipeline) : Record()},
        {"shard_axes", strategy.shard_axes}, {"shard", strategy.shard ? Record(plan::name(*strategy.shard)) : Record()},
        {"rules", rule_texts(strategy)},     {"source", strategy.source}};
}

List rule_list(const plan::Strategy& strategy) {
    List rules;
    if (!strategy.everywhere.empty()) {
        rules.items.push_back("every layer: " + sharding_text(strategy.everywhere));
    }
    append(rules.items, strategy.rules, [](const plan::Rule& rule) { return rule_text(rule); });
    return rules;
}

}  // namespace

std::string rule_text(const plan::Rule& rule) {
    std::string line = match_text(rule.match) + ": " + sharding_text(rule.lay);
    if (rule.condition) {
        line += " while " + rule.condition->text();
    }
    if (rule.output) {
        line += "; output " + sharding_text(*rule.output);
        line += rule.via == plan::Via::all_reduce_slice ? " by all-reduce and slice" : "";
    }
    line += rule.regather ? "; inputs gathered again in backward" : "";
    line += rule.stream.empty() ? "" : "; inputs pass around " + join(rule.stream, " and ") + " in blocks";
    line += rule.order == graph::ShardOrder::contiguous ? "; contiguous shards" : "";
    return line;
}

std::vector<std::string> rule_texts(const plan::Strategy& strategy) {
    return mapped<std::string>(strategy.rules, [](const plan::Rule& rule) { return rule_text(rule); });
}

Document strategy_document(const plan::Strategy& strategy) {
    Document document;
    set_record(document, strategy_record(strategy), strategy);
    add(document, Headline{strategy.name});
    add(document, Paragraph{strategy.summary});
    add(document, strategy_figures(strategy));
    add_section(document, {"Rules"}, {rule_list(strategy)});
    return document;
}

std::string strategy_facts(const plan::Strategy& strategy) {
    return fmt::format("{} {} {}", strategy.name, join(strategy.axes, " "), strategy.summary);
}

Document strategies_document(const std::vector<plan::Strategy>& strategies) {
    Document document;
    Table table({{"strategy"}, {"axes"}, {"what it does"}});
    std::vector<Record>& rows = document.rows.emplace();
    for (const plan::Strategy& strategy : strategies) {
        table.row({strategy.name, join(strategy.axes), strategy.summary});
        rows.push_back(strategy_record(strategy));
    }
    document.record = {{"schema", "dodona/strategies/1"}, {"strategies", rows}};
    add(document, std::move(table));
    return document;
}

}  // namespace dodona::reports
