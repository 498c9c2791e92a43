#include "files/strategy_file.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "files/heading.hpp"
#include "files/scope.hpp"
#include "graph/operators.hpp"
#include "plan/plan.hpp"
#include "plan/recompute.hpp"

namespace dodona::files {

namespace {

using plan::Lay;
using plan::Match;
using plan::Rule;
using plan::ShardLevel;
using plan::Strategy;

const std::vector<std::string> kConditionNames{"extent", "ways", "window"};

bool contains(const std::vector<std::string>& words, const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

/// A word or a list of words, with the value of each for messages.
std::vector<Value> one_or_more(const Value& value) {
    return value.is_list() ? value.list() : value ? std::vector<Value>{value} : std::vector<Value>{};
}

std::string known_operator(const Value& item) {
    const std::vector<std::string>& known = graph::operator_names();
    std::string name = item.text();
    if (!name.empty() && !contains(known, name)) {
        item.error(fmt::format("unknown operator \"{}\"{}", name, did_you_mean(name, known)),
                   fmt::format("operators: {}", join(known)));
    }
    return name;
}

Match read_match(const Value& value) {
    Match match;
    Fields fields(value);
    for (const Value& item : one_or_more(fields.find("kind"))) {
        match.kinds.push_back(known_operator(item));
    }
    match.roles = fields.find("role").texts();
    match.names = fields.find("name").texts();
    if (const Value first = fields.find("first")) {
        match.first = first.flag();
    }
    fields.finish();
    return match;
}

class StrategyReader {
public:
    Strategy read(const Value& value, SourceIs source) {
        Strategy strategy;
        strategy.where = value.where();
        Fields fields(value);
        const Heading heading = read_heading(fields, "strategy", source);
        strategy.name = heading.name;
        strategy.source = heading.source;
        strategy.summary = fields.find("summary").text();
        read_axes(fields.require("axes", "a list of mesh axes, innermost first; [] for none"));
        strategy.axes = axes_;
        strategy.folds = read_folds(fields.find("folds"));
        std::map<std::string, std::string> laid;
        strategy.everywhere = lays(fields.find("everywhere"), laid);
        if (const Value pipeline = fields.find("pipeline")) {
            strategy.pipeline = axis(pipeline);
            if (laid.count(*strategy.pipeline) != 0) {
                pipeline.error(fmt::format("axis \"{}\" cuts layers into stages and also lays {}", *strategy.pipeline,
                                           laid.at(*strategy.pipeline)));
            }
            laid.clear();
            laid.emplace(*strategy.pipeline, "the stages");
        } else {
            laid.clear();
        }
        if (const Value split = fields.find("split_boundaries")) {
            strategy.split_boundaries = axis(split);
        }
        read_shard(fields.find("shard"), strategy);
        read_considered(fields.find("search"), strategy.considered);
        for (const Value& rule : fields.find("rules").list()) {
            strategy.rules.push_back(read_rule(rule, laid));
        }
        fields.finish();
        if (!value.faults().has_errors()) {
            report_unused();
        }
        return strategy;
    }

private:
    void read_axes(const Value& value) {
        axes_value_ = value;
        for (const Value& item : value.list()) {
            const std::string name = item.text();
            if (!name.empty() && !is_identifier(name)) {
                item.error(fmt::format("\"{}\" is not a name for an axis", name), "axes have letters, digits and `_`");
            }
            if (contains(axes_, name)) {
                item.error(fmt::format("axis \"{}\" is listed twice", name));
            }
            axes_.push_back(name);
        }
    }

    /// Folded axes: name -> the axes whose ranks it uses, or with what it leaves out.
    std::vector<plan::FoldedAxis> read_folds(const Value& value) {
        std::vector<plan::FoldedAxis> folds;
        for (const Fields::Member& member : Fields(value).rest()) {
            plan::FoldedAxis fold{.name = member.key, .of = {}, .apart_from = {}};
            if (!is_identifier(fold.name) || contains(axes_, fold.name)) {
                value.faults().error(member.where, fmt::format("\"{}\" cannot be the name of a fold", fold.name),
                                     "a word of letters, digits and `_` that is not among the axes");
            }
            Value of = member.value;
            if (of.is_mapping()) {
                Fields fields(of);
                if (const Value apart = fields.find("apart_from")) {
                    fold.apart_from = apart.text();
                    if (!contains(folds_, *fold.apart_from)) {
                        apart.error(fmt::format("no fold \"{}\" comes before this one", *fold.apart_from));
                    }
                }
                of = fields.require("of", "the axes whose ranks it uses, innermost first");
                fields.finish();
            }
            for (const Value& item : one_or_more(of)) {
                fold.of.push_back(axis(item));
                if (contains(folds_, fold.of.back())) {
                    item.error(fmt::format("\"{}\" is a fold itself", fold.of.back()), "name axes of the mesh");
                }
            }
            folds_.push_back(fold.name);
            folds.push_back(std::move(fold));
        }
        return folds;
    }

    std::string axis(const Value& value) {
        const std::string name = value.text();
        used_.push_back(name);
        if (!name.empty() && axes_value_.is_list() && !contains(axes_, name) && !contains(folds_, name)) {
            value.error(fmt::format("\"{}\" is not among the axes{}", name, did_you_mean(name, axes_)),
                        fmt::format("axes of this strategy: {}", axes_.empty() ? "none" : join(axes_)));
        }
        return name;
    }

    static void check_dimension(const Fields::Member& member) {
        const std::vector<std::string>& known = graph::loop_names();
        if (!contains(known, member.key)) {
            std::vector<std::string> sorted = known;
            std::sort(sorted.begin(), sorted.end());
            member.value.faults().error(member.where,
                                        fmt::format("{}: no operator has a dimension \"{}\"{}", member.value.path(),
                                                    member.key, did_you_mean(member.key, known)),
                                        fmt::format("dimensions: {}", join(sorted)));
        }
    }

    /// `laid`: axis -> the dimension that it splits already; extended.
    std::vector<Lay> lays(const Value& value, std::map<std::string, std::string>& laid) {
        std::vector<Lay> result;
        for (const Fields::Member& member : Fields(value).rest()) {
            check_dimension(member);
            Lay lay{member.key, {}, member.where};
            for (const Value& item : one_or_more(member.value)) {
                lay.axes.push_back(axis(item));
                const auto [first, is_new] = laid.emplace(lay.axes.back(), member.key);
                if (!is_new && !lay.axes.back().empty()) {
                    item.error(
                        fmt::format("axis \"{}\" is laid twice: it already splits {}", lay.axes.back(), first->second),
                        "an axis splits one dimension of a layer");
                }
            }
            if (lay.axes.empty() && member.value.is_list()) {
                member.value.error("no axis", "leave a dimension out that stays whole");
            }
            result.push_back(std::move(lay));
        }
        return result;
    }

    void read_shard(const Value& value, Strategy& strategy) {
        if (!value) {
            return;
        }
        Fields fields(value);
        const Value axes = fields.require("axes", "the axes over which states may be sharded");
        for (const Value& item : one_or_more(axes)) {
            const std::string name = axis(item);
            if (contains(strategy.shard_axes, name)) {
                item.error(fmt::format("axis \"{}\" is listed twice", name));
            }
            strategy.shard_axes.push_back(name);
        }
        if (const Value level = fields.find("level")) {
            strategy.shard = level.one_of(plan::kShardLevels, ShardLevel::none);
        }
        fields.finish();
    }

    /// `search: false`, or a mapping that says for which networks and meshes.
    void read_considered(const Value& value, plan::Considered& considered) {
        if (!value || value.is_scalar()) {
            considered.by_default = value.flag(true);
            return;
        }
        Fields fields(value);
        for (const Value& item : one_or_more(fields.find("only_with"))) {
            considered.only_with.push_back(known_operator(item));
        }
        for (const Fields::Member& member : Fields(fields.find("extents")).rest()) {
            check_dimension(member);
            considered.extents[member.key] = member.value.whole(1);
        }
        for (const Fields::Member& member : Fields(fields.find("least")).rest()) {
            if (!contains(axes_, member.key)) {
                value.faults().error(member.where, fmt::format("\"{}\" is not among the axes{}", member.key,
                                                               did_you_mean(member.key, axes_)));
            }
            considered.least[member.key] = member.value.whole(1);
        }
        fields.finish();
    }

    void read_condition(const Value& value, Rule& rule) {
        if (!value.is_scalar()) {
            value.error("a condition is due: extent/ways >= window");
            return;
        }
        try {
            const Expression condition = Expression::parse(value.node().text, value.node().inside());
            for (const std::string& name : condition.names()) {
                if (!contains(kConditionNames, name)) {
                    value.error(fmt::format("unknown name \"{}\"{}", name, did_you_mean(name, kConditionNames)),
                                "names of a condition: extent (whole), ways, window");
                }
            }
            rule.condition = condition;
        } catch (const InputError& error) {
            absorb(value.faults(), error, value.path());
        }
    }

    Rule read_rule(const Value& value, std::map<std::string, std::string> laid) {
        Rule rule;
        rule.where = value.where();
        Fields fields(value);
        rule.match = read_match(fields.require("match", "what the rule applies to; {} for all layers"));
        const Value condition = fields.find("while");
        if (condition) {
            read_condition(condition, rule);
        }
        rule.lay = lays(fields.require("lay", "dimensions on axes; {} to replicate"), laid);
        if (condition && rule.lay.empty() && fields.mapping() && fields.find("lay").is_mapping()) {
            condition.error("a condition on a rule that lays nothing", "it is about the dimension laid first");
        }
        if (const Value output = fields.find("output")) {
            std::map<std::string, std::string> laid_output;
            rule.output = lays(output, laid_output);
        }
        const Value via = fields.find("via");
        if (via && via.choice({"reduce-scatter", "all-reduce+slice"}) == 1) {
            rule.via = plan::Via::all_reduce_slice;
        }
        rule.regather = fields.find("regather").flag();
        for (const Value& item : one_or_more(fields.find("stream"))) {
            rule.stream.push_back(axis(item));
        }
        const Value order = fields.find("order");
        if (order && order.choice({"zigzag", "contiguous"}) == 1) {
            rule.order = graph::ShardOrder::contiguous;
        }
        rule.optional = fields.find("optional").flag();
        fields.finish();
        return rule;
    }

    void report_unused() const {
        for (const Value& item : axes_value_.is_list() ? axes_value_.list() : std::vector<Value>{}) {
            if (item.is_scalar() && !contains(used_, item.node().text)) {
                item.error(fmt::format("axis \"{}\" lays nothing", item.node().text),
                           "use it in everywhere, rules, pipeline or shard, or remove it");
            }
        }
    }

    Value axes_value_;
    std::vector<std::string> axes_;
    std::vector<std::string> folds_;
    std::vector<std::string> used_;
};

}  // namespace

std::vector<Match> read_matches(const Value& value) {
    std::vector<Match> matches;
    for (const Value& item : value.is_list() ? value.list() : std::vector<Value>{value}) {
        if (item) {
            matches.push_back(item.is_mapping() ? read_match(item) : plan::layers_named(item.text()));
        }
    }
    return matches;
}

Strategy read_inline_strategy(const Value& value) { return StrategyReader().read(value, SourceIs::optional); }

Strategy read_strategy(Document document) {
    Strategy strategy = StrategyReader().read(Value(*document.root, "", document.faults), SourceIs::required);
    throw_faults(document);
    return strategy;
}

}  // namespace dodona::files
