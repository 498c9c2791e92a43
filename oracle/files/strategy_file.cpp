#include "files/strategy_file.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/ranges.hpp"
#include "files/description_keys.hpp"
#include "files/read_description.hpp"
#include "files/scope.hpp"
#include "files/text_forms.hpp"
#include "graph/operators.hpp"
#include "plan/recompute.hpp"

namespace dodona::files {

template <>
const Description& description<plan::FoldedAxis>();
template <>
const Description& description<plan::Usual>();

namespace {

using plan::Considered;
using plan::FoldedAxis;
using plan::Lay;
using plan::Match;
using plan::Rule;
using plan::Strategy;
using plan::Usual;

/// The entries of a mapping; none of what is no mapping.
std::vector<Fields::Member> entries(const Value& value) {
    return value.is_mapping() ? Fields(value).rest() : std::vector<Fields::Member>{};
}

/// The items of a list, or the single value that stands for one.
std::vector<Value> items(const Value& value) {
    return value.is_list() ? value.list() : value ? std::vector{value} : std::vector<Value>{};
}

void check_dimension(const Fields::Member& entry) {
    const std::vector<std::string>& known = graph::loop_names();
    if (!contains(known, entry.key)) {
        std::vector<std::string> sorted = known;
        std::sort(sorted.begin(), sorted.end());
        entry.value.faults().error(entry.where,
                                   fmt::format("{}: no operator has a dimension \"{}\"{}", entry.value.path(),
                                               entry.key, did_you_mean(entry.key, known)),
                                   fmt::format("dimensions: {}", join(sorted)));
    }
}

/// {dimension: axis or axes}
ValueType lays() {
    MapType type = named_entries<&Lay::dimension, &Lay::axes>(list_type<std::string>(
        {TextType{}}, {.none = "no axis", .none_help = "leave a dimension out that stays whole", .or_single = true}));
    type.check_key = check_dimension;
    type.key_is = "dimension";
    return {std::move(type)};
}

ValueType folds() {
    MapType type = named_entries<&FoldedAxis::name>(record_type(description<FoldedAxis>));
    type.key_is = "axis";
    return {std::move(type)};
}

/// {dimension or axis: size}
ValueType sizes(void (*check_key)(const Fields::Member&), std::string_view key_is) {
    ValueType type = map_type<std::string, std::int64_t>(whole_type<std::int64_t>({.range = at_least(1)}));
    auto& map = std::get<MapType>(type.type);
    map.check_key = check_key;
    map.key_is = key_is;
    return type;
}

/// `while`: extent/ways >= window
std::optional<std::string> condition_text(const std::optional<Expression>& condition) {
    return condition ? std::optional(condition->text()) : std::nullopt;
}

void set_condition(const std::optional<std::string>& /*text*/, std::optional<Expression>& condition, const Value& value,
                   const Reading& /*reading*/) {
    const std::vector<std::string> known{"extent", "ways", "window"};
    if (!value.is_scalar()) {
        return;
    }
    try {
        condition = Expression::parse(value.node().text, value.node().inside());
        for (const std::string& name : condition->names()) {
            if (!contains(known, name)) {
                value.error(fmt::format("unknown name \"{}\"{}", name, did_you_mean(name, known)),
                            "names of a condition: extent (whole), ways, window");
            }
        }
    } catch (const InputError& error) {
        absorb(value.faults(), error, value.path());
    }
}

ValueType condition_type() {
    return converted_type<std::optional<std::string>, std::optional<Expression>, condition_text, set_condition>(
        optional_type<std::string>({TextType{}}));
}

std::vector<Key> match_keys(auto key_of_match) {
    return {
        key_of_match.template operator()<&Match::kinds>("kind", "Operators.", {.form = &kOperator, .or_single = true}),
        key_of_match.template operator()<&Match::roles>("role", "Roles that the model gives its layers.",
                                                        {.or_single = true}),
        key_of_match.template operator()<&Match::names>(
            "name",
            "Paths of layers; `*` stands for any characters. The first instance of a repeated block is "
            "`layers[1]/attention`, all later ones are `layers[2..96]/attention`; `layers*/attention` is both.",
            {.or_single = true}),
        key_of_match.template operator()<&Match::first>(
            "first", "`true`: layers before which nothing is trained, whose input needs no gradient.", {})};
}

const Description& shard() {
    static const Description described{
        .noun = "sharding of a strategy",
        .summary = "Over which axes optimizer states may be sharded.",
        .keys =
            {required<&Strategy::shard_axes>(
                 "axes", "The axes.",
                 {.help = "the axes over which states may be sharded", .distinct = true, .or_single = true}),
             optional<&Strategy::shard>("level", "What is sharded unless a plan says otherwise.",
                                        {.default_text = "none"}),
             optional<&Strategy::shard_levels>(
                 "levels", "Among which a search chooses where there is no `level`, as far as the software has them.",
                 {.default_text = "none and states with a pipeline, else all", .distinct = true, .or_single = true})},
        .one_line = true,
        .defaults = default_of<Strategy>};
    return described;
}

/// The axes of a strategy, as the keys that name them are checked one after the other.
class AxisCheck {
public:
    AxisCheck(Fields& fields, const Strategy& strategy) : fields_(fields), strategy_(strategy) {}

    void all() {
        check_folds();
        std::map<std::string, std::string> laid;
        check_lays(fields_.find("everywhere"), laid);
        const std::map<std::string, std::string> stages = check_pipeline(laid);
        use(fields_.find("split_boundaries"));
        for (const Value& item : items(part("shard", "axes"))) {
            use(item);
        }
        for (const Fields::Member& entry : entries(part("search", "least"))) {
            if (!contains(strategy_.axes, entry.key)) {
                entry.value.faults().error(entry.where, fmt::format("\"{}\" is not among the axes{}", entry.key,
                                                                    did_you_mean(entry.key, strategy_.axes)));
            }
        }
        for (const Value& rule : items(fields_.find("rules"))) {
            check_rule(rule, stages);
        }
        report_unused();
    }

private:
    /// A key of a mapping inside the strategy.
    Value part(const std::string& mapping, const std::string& key) {
        const Value value = fields_.find(mapping);
        return value.is_mapping() ? Fields(value).find(key) : Value();
    }

    void check_folds() {
        for (const Fields::Member& entry : entries(fields_.find("folds"))) {
            if (!is_identifier(entry.key) || contains(strategy_.axes, entry.key)) {
                entry.value.faults().error(entry.where, fmt::format("\"{}\" cannot be the name of a fold", entry.key),
                                           "a word of letters, digits and `_` that is not among the axes");
            }
            Fields fold(entry.value.is_mapping() ? entry.value : Value());
            const Value apart = fold.find("apart_from");
            if (apart.is_scalar() && !contains(folds_, apart.node().text)) {
                apart.error(fmt::format("no fold \"{}\" comes before this one", apart.node().text));
            }
            for (const Value& item : items(entry.value.is_mapping() ? fold.find("of") : entry.value)) {
                use(item);
                if (item.is_scalar() && contains(folds_, item.node().text)) {
                    item.error(fmt::format("\"{}\" is a fold itself", item.node().text), "name axes of the mesh");
                }
            }
            folds_.push_back(entry.key);
        }
    }

    void use(const Value& item) {
        if (!item.is_scalar() || item.node().text.empty()) {
            return;
        }
        const std::string& name = item.node().text;
        used_.push_back(name);
        if (fields_.find("axes").is_list() && !contains(strategy_.axes, name) && !contains(folds_, name)) {
            item.error(
                fmt::format("\"{}\" is not among the axes{}", name, did_you_mean(name, strategy_.axes)),
                fmt::format("axes of this strategy: {}", strategy_.axes.empty() ? "none" : join(strategy_.axes)));
        }
    }

    /// `laid`: axis -> the dimension that it splits already; extended.
    void check_lays(const Value& value, std::map<std::string, std::string>& laid) {
        for (const Fields::Member& entry : entries(value)) {
            for (const Value& item : items(entry.value)) {
                use(item);
                if (!item.is_scalar() || item.node().text.empty()) {
                    continue;
                }
                const auto [first, is_new] = laid.emplace(item.node().text, entry.key);
                if (!is_new) {
                    item.error(
                        fmt::format("axis \"{}\" is laid twice: it already splits {}", first->first, first->second),
                        "an axis splits one dimension of a layer");
                }
            }
        }
    }

    /// What no rule may lay anything on: the axis that cuts layers into stages.
    std::map<std::string, std::string> check_pipeline(const std::map<std::string, std::string>& laid) {
        const Value pipeline = fields_.find("pipeline");
        use(pipeline);
        if (!pipeline.is_scalar()) {
            return {};
        }
        const std::string& axis = pipeline.node().text;
        if (const auto other = laid.find(axis); other != laid.end()) {
            pipeline.error(fmt::format("axis \"{}\" cuts layers into stages and also lays {}", axis, other->second));
        }
        return {{axis, "the stages"}};
    }

    void check_rule(const Value& value, std::map<std::string, std::string> laid) {
        if (!value.is_mapping()) {
            return;
        }
        Fields rule(value);
        const Value lay = rule.find("lay");
        check_lays(lay, laid);
        const Value condition = rule.find("while");
        if (condition && lay.is_mapping() && lay.node().members.empty()) {
            condition.error("a condition on a rule that lays nothing", "it is about the dimension laid first");
        }
        std::map<std::string, std::string> laid_output;
        check_lays(rule.find("output"), laid_output);
        for (const Value& item : items(rule.find("stream"))) {
            use(item);
        }
    }

    void report_unused() {
        const Value axes = fields_.find("axes");
        if (!axes.is_list() || axes.faults().has_errors()) {
            return;
        }
        for (const Value& item : axes.list()) {
            if (item.is_scalar() && !contains(used_, item.node().text)) {
                item.error(fmt::format("axis \"{}\" lays nothing", item.node().text),
                           "use it in everywhere, rules, pipeline or shard, or remove it");
            }
        }
    }

    Fields& fields_;
    const Strategy& strategy_;
    std::vector<std::string> folds_;  ///< before the one that is checked
    std::vector<std::string> used_;
};

/// The meshes that a search looks at grow with the power of their number.
constexpr std::size_t kMaxAxes = 10;

void check_strategy(Fields& fields, Strategy& strategy, const Reading& /*reading*/) {
    if (const Value axes = fields.find("axes"); axes && strategy.axes.size() > kMaxAxes) {
        axes.error(fmt::format("{} axes; at most {} are laid out", strategy.axes.size(), kMaxAxes),
                   "dimensions may share an axis");
    }
    AxisCheck(fields, strategy).all();
}

void set_matches(const std::vector<LayerMatch>& layers, std::vector<Match>& matches, const Value& /*value*/,
                 const Reading& /*reading*/) {
    matches = matches_of(layers);
}

void check_layer_match(Fields& fields, LayerMatch& match, const Reading& /*reading*/) {
    const Value layer = fields.find("layer");
    if (layer && fields.mapping().node().members.size() > 1) {
        layer.error("a layer by its name needs no other key", "write the name alone");
    }
    static_cast<void>(match);
}

}  // namespace

template <>
const Description& description<FoldedAxis>() {
    static const Description described{
        .noun = "fold",
        .summary =
            "An axis on the ranks of others. It multiplies no devices: it uses the innermost ranks of the axes "
            "that it names.",
        .keys = {required<&FoldedAxis::of>(
                     "of", "Axes of the mesh, innermost first.",
                     {.help = "the axes whose ranks it uses, innermost first", .or_single = true}),
                 optional<&FoldedAxis::apart_from>("apart_from", "A fold before this one, whose ranks are left out.")},
        .single_value = "of",
        .one_line = true,
        .defaults = default_of<FoldedAxis>};
    return described;
}

template <>
const Description& description<Usual>() {
    static const Description described{
        .noun = "usual case of a strategy",
        .summary =
            "Where the strategy is in use in practice. Elsewhere `dodona plan` looks only with `--vary unusual`, or "
            "where nothing else fits. `false`: nowhere.",
        .keys = {optional<&Usual::ever>("ever", "`false`: nowhere."),
                 optional_as<&Usual::extents>(sizes(check_dimension, "dimension"), "extents",
                                              "Models in which one of these dimensions has at least this extent."),
                 optional_as<&Usual::leaves>(sizes(check_dimension, "dimension"), "leaves",
                                             "Meshes that leave each rank at least this extent of the dimension."),
                 optional<&Usual::sizes>("sizes", "Sizes of axes; those that are left out may have any.")},
        .single_value = "ever",
        .one_line = true,
        .defaults = default_of<Usual>};
    return described;
}

template <>
const Description& description<Considered>() {
    static const Description described{
        .noun = "search of a strategy",
        .summary =
            "When a search over all strategies looks at this one; asked for by its name it always does. `false`: "
            "never.",
        .keys = {optional<&Considered::by_default>("by_default", "`false`: only when it is asked for by its name."),
                 optional<&Considered::only_with>("only_with", "Models with one of these operators.",
                                                  {.form = &kOperator, .or_single = true}),
                 optional_as<&Considered::extents>(
                     sizes(check_dimension, "dimension"), "extents",
                     "Models with a layer that has at least this extent of the dimension."),
                 optional_as<&Considered::least>(sizes(nullptr, "axis"), "least",
                                                 "Meshes in which the axis has at least this size."),
                 optional<&Considered::usual>("usual", "Where it is in use in practice.",
                                              {.default_text = "everywhere"})},
        .single_value = "by_default",
        .one_line = true,
        .defaults = default_of<Considered>};
    return described;
}

template <>
const Description& description<Match>() {
    static const Description described{
        .noun = "match",
        .summary = "Layers: all keys that are given must hold, each for one word of its list. {} is every layer.",
        .keys = match_keys([]<auto Member>(const char* name, const char* meaning, KeyOptions options) {
            return optional<Member>(name, meaning, std::move(options));
        }),
        .one_line = true,
        .defaults = default_of<Match>};
    return described;
}

template <>
const Description& description<LayerMatch>() {
    static const Description described{
        .noun = "choice of layers",
        .summary =
            "The name of a layer as in the model file, in any block (`*` stands for any characters), or a mapping.",
        .keys = joined({optional<&LayerMatch::layer>("layer", "The name alone.")},
                       match_keys([]<auto Member>(const char* name, const char* meaning, KeyOptions options) {
                           return optional<&LayerMatch::match, Member>(name, meaning, std::move(options));
                       })),
        .single_value = "layer",
        .one_line = true,
        .check = checked<LayerMatch, check_layer_match>,
        .defaults = default_of<LayerMatch>};
    return described;
}

template <>
const Description& description<Rule>() {
    static const Description described{
        .noun = "rule",
        .summary =
            "What the first rule that matches a layer does to it. A layer without a rule is replicated; one that is "
            "element-wise takes over the sharding of its input. A rule may lay an axis that `everywhere` lays: "
            "for its layers the axis then splits what the rule says.",
        .keys =
            {required<&Rule::match>("match", "The layers.", {.help = "what the rule applies to; {} for all layers"}),
             optional_as<&Rule::condition>(
                 condition_type(), "while",
                 "Condition over `extent` (whole), `ways` and `window` of the dimension that is laid first. Once it "
                 "fails for a layer, the rule is over for all later ones."),
             required_as<&Rule::lay>(lays(), "lay",
                                     "Dimensions on axes. Of several axes the first makes the coarsest split; {} "
                                     "replicates.",
                                     {.help = "dimensions on axes; {} to replicate"}),
             optional_as<&Rule::output>(
                 optional_type<std::vector<Lay>>(lays()), "output",
                 "Sharding that the output is converted to at once; {}: replicated over the axes of the rule.",
                 {.default_text = "as the product leaves it"}),
             optional<&Rule::via>("via", "How partial sums become shards."),
             optional<&Rule::regather>("regather",
                                       "Inputs that are gathered for the layer are not kept for backward but gathered "
                                       "again for dW (sequence parallelism)."),
             optional<&Rule::stream>("stream",
                                     "Axes over which inputs are not gathered: their blocks go round a ring beside the "
                                     "layer's compute (ring attention).",
                                     {.or_single = true}),
             optional<&Rule::order>(
                 "order", "Which positions of a split sequence a shard holds; with zigzag, causal attention is even."),
             optional<&Rule::optional>("optional", "For some models only: it is no fault that it matches nothing.")},
        .one_line = true,
        .where = place_of<&Rule::where>,
        .defaults = default_of<Rule>};
    return described;
}

template <>
const Description& description<Strategy>() {
    static const Description described{
        .noun = "strategy",
        .summary =
            "Ordered rules that lay dimensions of operators on axes of the mesh. Compute, communication and memory "
            "follow from them.",
        .keys =
            {file_name<&Strategy::name>("strategy"), file_source<&Strategy::source>(),
             optional<&Strategy::summary>("summary", "One line for lists."),
             required<&Strategy::axes>(
                 "axes", "Axes of the mesh that it uses, innermost first.",
                 {.help = "a list of mesh axes, innermost first; [] for none", .form = &kIdentifier, .distinct = true}),
             optional_as<&Strategy::folds>(folds(), "folds", "Axes on the ranks of others, such as that of experts."),
             optional_as<&Strategy::everywhere>(lays(), "everywhere", "Dimensions laid for every layer."),
             optional<&Strategy::pipeline>("pipeline", "The axis that cuts layers into stages."),
             optional<&Strategy::split_boundaries>(
                 "split_boundaries",
                 "An axis: whole tensors at a stage boundary are sent in parts and gathered on arrival."),
             optional_as(record_type(shard), "shard", "Over which axes optimizer states may be sharded."),
             optional<&Strategy::considered>("search", "When `dodona plan` looks at it unasked.",
                                             {.default_text = "always"}),
             optional<&Strategy::rules>("rules", "The first rule that matches a layer counts.")},
        .file_kind = "strategy",
        .check = checked<Strategy, check_strategy>,
        .where = place_of<&Strategy::where>,
        .defaults = default_of<Strategy>};
    return described;
}

std::vector<LayerMatch> layer_matches(const std::vector<Match>& matches) {
    std::vector<LayerMatch> layers;
    for (const Match& match : matches) {
        const std::optional<std::string> name = plan::layer_name(match);
        layers.push_back(name ? LayerMatch{*name, {}} : LayerMatch{{}, match});
    }
    return layers;
}

std::vector<Match> matches_of(const std::vector<LayerMatch>& layers) {
    return mapped<Match>(layers, [](const LayerMatch& layer) {
        return layer.layer.empty() ? layer.match : plan::layers_named(layer.layer);
    });
}

ValueType layers_type() {
    return converted_type<std::vector<LayerMatch>, std::vector<Match>, layer_matches, set_matches>(
        list_type<LayerMatch>(record_type(description<LayerMatch>), {.or_single = true}));
}

std::vector<Match> read_matches(const Value& value) {
    std::vector<Match> matches;
    if (value) {
        read_value(layers_type(), value, &matches, {.folder = {}, .open = {}});
    }
    return matches;
}

Strategy read_strategy(Document document) { return read_file<Strategy>(std::move(document)); }

}  // namespace dodona::files
